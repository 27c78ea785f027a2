"""The glue to ir-datasets: what is registered there is imported together with ir_datasets.

Its import takes longer than that of this package, and not every user needs it.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType


def when_imported(module: str) -> None:
    """Import a module as soon as ir_datasets is imported; at once, if it is already."""
    if "ir_datasets" in sys.modules:
        importlib.import_module(module)
    else:
        sys.meta_path.insert(0, _Finder(module))


class _Finder:
    """Finds ir_datasets as the other finders do, and extends its import.

    It stays installed until the import: not every look-up leads to one.
    """

    def __init__(self, module: str) -> None:
        self._module = module
        self._asking = False

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of ir_datasets; None for all other modules."""
        if name != "ir_datasets" or self._asking:
            return None
        self._asking = True
        try:
            spec = importlib.util.find_spec(name)  # asks the other finders
        finally:
            self._asking = False
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_import(module: ModuleType) -> None:
                execute(module)
                if self in sys.meta_path:
                    importlib.import_module(self._module)
                    sys.meta_path.remove(self)

            spec.loader.exec_module = execute_and_import  # type: ignore[method-assign]
        return spec
