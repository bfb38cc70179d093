"""What all charts share: frames, axes, names, images."""
