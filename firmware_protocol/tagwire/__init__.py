"""The Python codec of throwin's tag protocol: frames in a byte stream, typed messages.

Standard library only, no I/O, no clock. The rules are in SPEC.md; layouts are generated from
messages.toml.
"""

from tagwire.error import EncodeError, TagwireError
from tagwire.frame import Frame, Malformed, Unknown, decode_frame, encode_frame
from tagwire.messages import (
    Button,
    Cue,
    CuePattern,
    Fix,
    FixKind,
    Imu,
    Message,
    Press,
    ResetCause,
    Status,
    UwbPosition,
)
from tagwire.sequence import Refusal, Sequence
from tagwire.stream import Deframer

__all__ = [
    "Button",
    "Cue",
    "CuePattern",
    "Deframer",
    "EncodeError",
    "Fix",
    "FixKind",
    "Frame",
    "Imu",
    "Malformed",
    "Message",
    "Press",
    "Refusal",
    "ResetCause",
    "Sequence",
    "Status",
    "TagwireError",
    "Unknown",
    "UwbPosition",
    "decode_frame",
    "encode_frame",
]
