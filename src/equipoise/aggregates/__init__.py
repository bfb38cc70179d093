"""One number for many tasks and runs: means, medians, interquartile means, profiles, comparisons."""
