"""What machine a figure was measured on."""

import os
import pathlib
import platform
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One machine, in the words that a reader of a figure needs."""

    cpu: str
    cores: int
    python: str
    system: str

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.cpu}, {self.cores} cores, Python {self.python}, {self.system}"


def describe_machine() -> Machine:
    """Describe this machine."""
    return Machine(
        cpu=_cpu(),
        cores=os.cpu_count() or 0,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.machine()}",
    )


def _cpu() -> str:
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    for line in lines:
        if line.startswith(("model name", "Model")):
            return line.partition(":")[2].strip()
    return "unknown processor"
