"""The match and its rules: roster, phases, line-up, verdicts, alerts. Pure."""
