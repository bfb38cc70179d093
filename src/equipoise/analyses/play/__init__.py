"""Games still to be played, games as payoffs, and hands without luck."""
