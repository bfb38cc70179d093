"""What a log of votes says of its voters and judges."""
