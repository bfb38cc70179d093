"""Who may do what: tokens, sessions of browsers, and the one table of roles."""
