"""alpha-Rank: response graphs, Markov-Conley chains, stationary masses and their bounds."""
