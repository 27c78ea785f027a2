"""Modules that list names of other modules, which are imported on first use."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def list_names(
    module: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a module, whose stub lists its names.

    As ``lazy_loader.attach_stub`` does for packages, whose names are in modules of their own.
    """
    tree = ast.parse(Path(file).with_suffix(".pyi").read_text("utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    homes = {alias.name: str(node.module) for node in imports for alias in node.names}

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        found = getattr(import_module(homes[name]), name)
        vars(sys.modules[module])[name] = found
        return found

    return load, lambda: sorted(homes), sorted(homes)
