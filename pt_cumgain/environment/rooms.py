"""The names of the public modules, imported on first use, and where else a name is found."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import lazy_loader  # type: ignore[import-untyped]

#: The package and its modules, in the order in which a name is searched.
_ROOMS = ("", ".comparing", ".trust", ".sessions", ".papers", ".plots", ".core", ".pydocs")


def attach_names(
    module: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a module whose stub lists its names.

    A name that another public module has is an error that says which one.
    """
    import_name, list_names, names = lazy_loader.attach_stub(module, file)

    def find(name: str) -> Any:
        if name not in names and not name.startswith("_"):  # Python asks for many of these
            for place in (f"pt_cumgain{room}" for room in _ROOMS):
                if place != module and _has(import_module(place), name):
                    message = f"{module} has no {name}; it is {place}.{name}"
                    # Python replaces an AttributeError in `from pt_cumgain import name`
                    if inspect.stack(context=0)[1].function == "_handle_fromlist":
                        raise ImportError(message, name=name)
                    raise AttributeError(message, name=name)
        return import_name(name)

    return find, list_names, names


def _has(module: ModuleType, name: str) -> bool:
    """Return whether a module has a name of its own."""
    names = getattr(module, "__all__", ())
    return name in names or getattr(vars(module).get(name), "__module__", "") == module.__name__
