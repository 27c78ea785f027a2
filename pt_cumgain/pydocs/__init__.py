"""A test collection that comes with the package.

It has graded judgments, so every example runs offline. The documents are
the docstrings of the public functions, classes and methods of the installed
numpy and pandas, read on demand; topics, judgments and runs are part of the
package. ``data/README.md`` explains how they were made. Importing this
module registers the collection: ``ir_datasets.load("pydocs")`` and
PyTerrier's ``pt.get_dataset("irds:pydocs")`` return it from then on.

The public names:

    - ``documents``, ``topics``: as ir_datasets serves them
    - ``runs``: five pooled runs, by system, as PyTerrier frames
    - ``build_index``: an index of pyterrier-pisa
    - ``sessions``, ``session_qrels``, ``session_runs``: several queries
    - ``LEVELS``, ``SOURCES``: meanings of labels, sources of documents
    - ``DATA``: the folder of the files

ir_datasets needs the other names of the collection.
"""

from pt_cumgain.environment.rooms import attach_names
from pt_cumgain.pydocs._collection import register

# __init__.pyi lists the names
__getattr__, __dir__, __all__ = attach_names(__name__, __file__)
register()
