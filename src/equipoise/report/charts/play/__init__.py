"""Charts of games still to be played, and of luck."""
