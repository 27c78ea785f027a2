"""The glue to ir-datasets: what is registered there is imported when ir_datasets is.

Its import takes longer than ours, and not everyone who measures a run needs it.
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
    """Finds ir_datasets as the others do, and adds to what its import does.

    It stays until that is done: not every look-up is followed by an import.
    """

    def __init__(self, module: str) -> None:
        self._module = module
        self._asking = False

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where ir_datasets is; None for everything else."""
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
