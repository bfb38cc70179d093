"""What every part of the package uses: errors, diagnostics, options, results, declarations of methods, wording."""
