"""What follows from messages.toml; run through generate.py, never imported by tagwire."""
