"""What a buzzer or an earpiece does with cues. Pure."""
