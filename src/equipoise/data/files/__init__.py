"""Files and data frames as lazy polars frames: formats, encodings, databases, arenas."""
