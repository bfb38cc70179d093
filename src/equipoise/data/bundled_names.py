"""Names of the data sets that come with the package: for hints, where reading them would be a circle."""

__all__ = ["BUNDLED_NAMES"]

BUNDLED_NAMES = ("alphago", "lsat", "classifiers", "digits", "hands", "hands-kuhn2", "hands-kuhn3")
