"""Texas hold'em for two or three players, limit and no-limit, by the rules of OpenSpiel: bots, deals, luck."""
