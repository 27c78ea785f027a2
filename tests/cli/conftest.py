"""Small files for the commands."""

import gzip
from pathlib import Path

import pytest

from tests.support.helpers import QRELS, RUN


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    written = {"qrels": QRELS, "run": RUN}
    for name, text in written.items():
        (tmp_path / name).write_text(text)
    with gzip.open(tmp_path / "run.gz", "wt") as file:
        file.write(RUN)
    return {name: str(tmp_path / name) for name in ("qrels", "run", "run.gz")}
