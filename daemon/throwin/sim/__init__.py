"""Throw-ins with known truth: scenarios, riders, sensor models, bytes."""
