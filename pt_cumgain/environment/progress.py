"""Progress bars."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from importlib import import_module
from types import SimpleNamespace
from typing import Any

#: After how many seconds a progress bar appears.
DELAY = 1


def progress(total: int, verbose: bool, what: str, unit: str) -> Any:
    """Return a progress bar, or a stand-in that shows nothing."""
    if verbose:  # PyTerrier, where it is loaded, lets its user choose the kind of bar
        host = sys.modules.get("pyterrier") or import_module("tqdm.auto")
        return host.tqdm(total=total, desc=what, unit=unit, delay=DELAY, leave=False)
    return nullcontext(SimpleNamespace(update=lambda _=1: None))


def follow(items: Sequence[object], verbose: bool, what: str, unit: str) -> Iterator[Any]:
    """Yield items, with a progress bar if ``verbose``."""
    with progress(len(items), verbose, what, unit) as bar:
        for item in items:
            yield item
            bar.update()
