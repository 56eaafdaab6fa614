"""What others rely on: payload types, topics, the field file. Pure; the one user of msgspec."""
