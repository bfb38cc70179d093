"""From tables to data types: which column says what, and what is wrong with a row."""
