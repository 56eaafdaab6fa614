"""throwin: an officiating aid that judges the polo throw-in of USPA Rule 20."""

__version__ = "0.1.0"
