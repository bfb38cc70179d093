"""Views in a terminal, on a page, in a notebook, as JSON and CSV."""
