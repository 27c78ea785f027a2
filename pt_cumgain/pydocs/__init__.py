"""``pydocs``: an embedded test collection with graded judgments, so that everything runs offline.

The documents are the docstrings of the public functions, classes and methods of the installed numpy
and pandas, read when asked for; topics, judgments and five pooled runs come with the package.
``data/README.md`` says how they were made. The collection is registered with
ir_datasets: ``ir_datasets.load("pydocs")``, ``pt.get_dataset("irds:pydocs")``.
"""

import lazy_loader

# __init__.pyi says what is here
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
