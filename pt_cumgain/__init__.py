"""Cumulated-gain measures for ir-measures and PyTerrier.

``import pt_cumgain`` registers the measures; from then on they are parsed by
``ir_measures.parse_measure`` and computed by every function of ir-measures and by
``pt.Experiment``. ``import pyterrier`` imports this package by itself.
"""

from pt_cumgain.files import exit_on_interrupt as _exit_on_interrupt
from pt_cumgain.files import is_command as _is_command

if _is_command():  # before the imports below, which take a while
    _exit_on_interrupt()

import lazy_loader

from pt_cumgain.hosts.ir_datasets import when_imported as _when_imported
from pt_cumgain.hosts.ir_measures import register as _register_measures

# __init__.pyi says what is public and where it lives; it is imported when it is first used, so that
# the import costs little
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "0.1.0"

_register_measures()
_when_imported("pt_cumgain.pydocs.collection")
