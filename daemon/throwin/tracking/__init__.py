"""Where everybody is, and how well that is known. Pure."""
