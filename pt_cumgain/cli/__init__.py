"""The command ``pt-cumgain``: a module for each of its commands, and those that they share."""

from pt_cumgain.cli.program import main

__all__ = ["main"]
