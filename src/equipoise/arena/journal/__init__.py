"""The journal, its export, restoring and recounting."""
