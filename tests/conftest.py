"""Where the real data is, and the offline IR_DATASETS_HOME (before ir_datasets is imported)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("PT_CUMGAIN_DATA", ROOT.parent / "shared" / "data"))
if DATA.is_dir():
    os.environ["IR_DATASETS_HOME"] = str(DATA / "irds_home")


@pytest.fixture
def data() -> Path:
    """The folder of real data; the test is skipped where there is none."""
    if not DATA.is_dir():
        pytest.skip(f"no real data at {DATA}; set PT_CUMGAIN_DATA to a folder that has it")
    return DATA
