"""From results to the view models of their charts: plain rows, the most telling chart first."""
