"""README and manual: every example is run, every output real, tables as the declarations say."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import ir_measures
import numpy as np
import pytest

import pt_cumgain
from tests.pages import MANUAL, PAGES, PICTURES, console, python, run_console, run_python, shown, written

CONSOLE = console()


@pytest.mark.usefixtures("figures")
@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if ">>>" in python(page)])
def test_python(name: str, tmp_path: Path) -> None:
    """A page is one session, and draws the pictures that it shows."""
    differs = run_python(PAGES[name], tmp_path)
    assert not differs, differs
    for picture in shown(PAGES[name]):
        if (tmp_path / picture).exists():
            assert_same_picture(tmp_path / picture, PICTURES / picture)


def assert_same_picture(drawn: Path, kept: Path) -> None:
    from matplotlib.image import imread
    from PIL import Image

    versions = [Image.open(path).info["Software"] for path in (drawn, kept)]
    assert imread(drawn).shape == imread(kept).shape
    if versions[0] == versions[1]:  # others place their labels elsewhere
        assert np.abs(imread(drawn) - imread(kept)).mean() < 1e-3, "python -m tests.pages draws it"
