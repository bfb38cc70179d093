"""Few agents: items drawn from a population and integrated out."""
