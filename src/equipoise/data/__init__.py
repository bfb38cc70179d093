"""What users bring, validated once."""
