"""Topic names under the field's root, and how each message type is published."""

from typing import NamedTuple, assert_never

from throwin.contract import payload as p

CONTRACT_MAJOR = 1


class Delivery(NamedTuple):
    """Where and how one message is published.

    expiry_s: None = no expiry. correlation: the asker's correlation data, hex, in an answer.
    """

    topic: str
    qos: int
    is_retained: bool
    expiry_s: int | None
    correlation: str = ""


def root(field: str) -> str:
    """Give the root of one field's topics."""
    return f"throwin/{CONTRACT_MAJOR}/{field}"


def availability(field: str) -> str:
    """Give the topic of the retained online / offline word and of the last will."""
    return f"{root(field)}/availability"


def cue(field: str, umpire: str) -> str:
    """Give the topic of one umpire's cues."""
    return f"{root(field)}/umpires/{umpire}/cue"


def ack(field: str, umpire: str) -> str:
    """Give the topic where the receivers of one umpire acknowledge."""
    return f"{root(field)}/umpires/{umpire}/ack"


def receiver(field: str, umpire: str, name: str) -> str:
    """Give the topic of one receiver's retained online / offline word."""
    return f"{root(field)}/umpires/{umpire}/receivers/{name}"


def heartbeat(field: str) -> str:
    """Give the heartbeat's topic."""
    return f"{root(field)}/hb"


def command(field: str, verb: str) -> str:
    """Give the topic of one command."""
    return f"{root(field)}/cmd/{verb}"


def deliver(field: str, message: p.Message) -> Delivery:
    """Say where and how a message goes."""
    base = root(field)
    match message:
        case p.Cue():
            return Delivery(cue(field, message.umpire), 1, False, 2)
        case p.Alert():
            return Delivery(f"{base}/alerts", 1, False, 10)
        case p.Lineup():
            return Delivery(f"{base}/lineup", 1, True, None)
        case p.Picture():
            return Delivery(f"{base}/picture", 0, False, 1)
        case p.TagHealth():
            return Delivery(f"{base}/tags/{message.tag}", 0, True, 30)
        case p.Status():
            return Delivery(f"{base}/status", 1, True, None)
        case p.Heartbeat():
            return Delivery(f"{base}/hb", 0, False, 1)
        case p.MatchEvent():
            return Delivery(f"{base}/events", 1, False, None)
        case p.Answer():
            return Delivery(message.reply_to, 1, False, 10, message.correlation)
        case _:
            assert_never(message)
