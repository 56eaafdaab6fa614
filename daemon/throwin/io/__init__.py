"""The world: serial ports, MQTT, journal, broker; each outside library in one module."""
