"""The field: units, pitch, and the frame that turns WGS84 into field coordinates. Pure."""
