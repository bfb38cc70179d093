"""Nash averaging: evaluation that clones and easy tasks cannot bend."""
