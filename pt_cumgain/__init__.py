"""Cumulated-gain measures for ir-measures and PyTerrier.

``import pt_cumgain`` registers the measures; from then on they are parsed by
``ir_measures.parse_measure`` and computed by every function of ir-measures and by
``pt.Experiment``. ``import pyterrier`` imports this package by itself.
"""

from importlib import import_module

import lazy_loader
import wrapt

from pt_cumgain.hosts.ir_measures import register as _register_measures

# __init__.pyi says what is public and where it lives; it is imported when it is first used, so that
# the import costs little
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "0.1.0"

_register_measures()


@wrapt.when_imported("ir_datasets")  # or at once, if it is imported already
def _register_pydocs(_: object) -> None:
    import_module("pt_cumgain.pydocs.collection")
