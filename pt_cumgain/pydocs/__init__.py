"""A test collection that comes with the package.

With its graded judgments everything runs offline. The documents are the
docstrings of the public functions, classes and methods of the installed
numpy and pandas, read on demand; topics, judgments and runs come with the
package. ``data/README.md`` says how they were made. ir_datasets knows the
collection, ``ir_datasets.load("pydocs")``, and so does PyTerrier,
``pt.get_dataset("irds:pydocs")``.

The public names:

    - ``documents``, ``topics``: as ir_datasets serves them
    - ``runs``: five pooled runs, by system, as PyTerrier frames
    - ``sessions``, ``session_qrels``, ``session_runs``: several queries
    - ``LEVELS``, ``PLACES``: what labels mean, where documents come from
    - ``DATA``: the folder of the files

ir_datasets needs the other names of the collection.
"""

import lazy_loader

# __init__.pyi says what is here
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
