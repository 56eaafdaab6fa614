"""The world: serial ports, MQTT, journal, broker. Each outside library is imported in one module."""
