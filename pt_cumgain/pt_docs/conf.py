"""Sphinx's settings: ``sphinx-build -W pt_cumgain/pt_docs OUT``, from a checkout.

PyTerrier's site has settings of its own.
"""

import sys
from pathlib import Path

from pt_cumgain import __version__

sys.path.insert(0, str(Path(__file__).parents[2]))  # for the extensions
project = "pt_cumgain"
copyright = "the pt_cumgain developers"  # noqa: A001  # Sphinx's name
version = release = __version__
html_theme = "furo"
html_title = f"pt_cumgain {__version__}"
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon"]
extensions += ["tests.support.how_to", "tests.support.site"]
autodoc_default_options = {"member-order": "bysource"}
autodoc_typehints = "none"
add_module_names = False
toc_object_entries_show_parents = "hide"
# links inside the manual must have a target; types of other packages have theirs elsewhere
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!pt_cumgain).*")]
