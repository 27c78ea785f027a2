"""The names of the public modules, imported on first use, and where else a name is found."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

import lazy_loader  # type: ignore[import-untyped]

#: The package and its modules, in the order in which a name is searched.
_ROOMS = ("", ".comparing", ".trust", ".sessions", ".papers", ".plots", ".core", ".pydocs")


def attach_names(module: str, file: str) -> Any:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a module whose stub lists its names.

    If only another public module has a name, the error says which one.
    """
    import_name, list_names, names = lazy_loader.attach_stub(module, file)

    def find(name: str) -> Any:
        if name in names or name.startswith("_"):  # Python itself asks for names such as __path__
            return import_name(name)
        for place in (f"pt_cumgain{room}" for room in _ROOMS):
            if place != module and name in dir(import_module(place)):
                message = f"{module} has no {name}; it is {place}.{name}"
                # Python replaces an AttributeError by words of its own in `from module import name`
                if inspect.stack(context=0)[1].function == "_handle_fromlist":
                    raise ImportError(message, name=name)
                raise AttributeError(message, name=name)
        return import_name(name)

    return find, list_names, names
