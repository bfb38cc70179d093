"""The agents' side: agent curves, regularity, generality, and the four indicators together."""
