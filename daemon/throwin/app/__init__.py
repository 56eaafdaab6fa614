"""Wiring: the service, the demo and the command line."""
