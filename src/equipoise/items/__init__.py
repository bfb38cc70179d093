"""Items and agents: item response models, generality, adaptive testing."""
