"""Is one rating per agent enough? The test, its null distribution, the intransitive share and cycles."""
