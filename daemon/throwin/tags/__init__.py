"""What tags say: one module a format, bytes to Observations or counted faults. Pure."""
