"""Where the real data is, and the offline IR_DATASETS_HOME (before ir_datasets is imported)."""

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parents[1]

# few examples, the same each time; `.ci/run` draws more, and new ones, with
# --hypothesis-profile=more, and a nightly run could draw many with --hypothesis-profile=thorough
for profile, examples in (("default", 10), ("more", 80), ("thorough", 5000)):
    settings.register_profile(
        profile,
        max_examples=examples,
        deadline=None,
        derandomize=profile == "default",
        suppress_health_check=[HealthCheck.too_slow],  # how long it takes depends on the load
    )
settings.load_profile("default")

if sys.dont_write_bytecode:
    # else each worker, and each program that a test starts, compiles all packages anew
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(ROOT / ".pytest_cache" / "bytecode")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each worker has a core, not all of them
DATA = Path(os.environ.get("PT_CUMGAIN_DATA", ROOT.parent / "shared" / "data"))
if DATA.is_dir():
    os.environ["IR_DATASETS_HOME"] = str(DATA / "irds_home")
    os.environ["PT_CUMGAIN_DATA"] = str(DATA)  # for the kernels of notebooks


class CleanState:
    """A plugin, which serves the docstrings' examples as well: tests leave nothing behind."""

    @pytest.fixture(autouse=True)
    def clean_state(self) -> Iterator[None]:
        """Forget the discounts that a test has registered."""
        from pt_cumgain.core import DISCOUNTS

        before = dict(DISCOUNTS)
        yield
        DISCOUNTS.clear()
        DISCOUNTS.update(before)


def pytest_configure(config: pytest.Config) -> None:
    """Let the fixture above serve every test."""
    config.pluginmanager.register(CleanState())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a browser as end-to-end; properties are not about warnings of random data."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("end_to_end")
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.filterwarnings("ignore::UserWarning"))


def pytest_collection_finish() -> None:
    """Spare the garbage collector all that is imported by now, and most of its runs.

    statsmodels has it run in each call, which took a tenth of a second.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture
def thorough() -> None:
    """The test is skipped unless everything is asked for: pytest --hypothesis-profile=thorough."""
    if settings.default.max_examples < settings.get_profile("thorough").max_examples:
        pytest.skip("takes long; pytest --hypothesis-profile=thorough runs it")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data; the test is skipped where there is none."""
    if not DATA.is_dir():
        pytest.skip(f"no real data at {DATA}; set PT_CUMGAIN_DATA to a folder that has it")
    return DATA


# what follows imports in its body: ir_datasets must not be imported before its home is known, and
# some environments lack matplotlib


@pytest.fixture(scope="module")
def qrels():
    """The judgments of `pydocs`, as PyTerrier names the columns."""
    import pyterrier as pt

    import pt_cumgain.pydocs  # noqa: F401  # registers the collection

    return pt.get_dataset("irds:pydocs").get_qrels()


@pytest.fixture(scope="module")
def trec_qrels():
    """The judgments of `pydocs`, as read from their file."""
    from pt_cumgain import pydocs
    from tests.support import trec

    return trec.read_qrels(pydocs.DATA / "qrels.txt")


@pytest.fixture(scope="session")
def topics():
    """The topics of `pydocs`, with their texts."""
    import pyterrier as pt

    import pt_cumgain.pydocs  # noqa: F401  # registers the collection

    return pt.get_dataset("irds:pydocs").get_topics("text")


@pytest.fixture(scope="session")
def covid(data):
    """The judgments and the runs of TREC-COVID, round 1."""
    from tests.support import trec

    folder = data / "trec-covid-round1"
    runs = {path.stem: trec.read_run(path) for path in (folder / "runs").glob("*")}
    return trec.read_qrels(folder / "qrels-rnd1.txt.gz"), runs


@pytest.fixture(scope="module")
def browser():
    """The system's Chromium; the test is skipped where there is none."""
    from tests.support.browser import chromium

    with chromium() as browser:
        yield browser


@pytest.fixture
def no_delay(monkeypatch) -> None:
    """Progress bars appear at once."""
    monkeypatch.setattr("pt_cumgain.environment.progress.DELAY", 0)


@pytest.fixture
def figures():
    """Figures are drawn without a screen, and closed after the test."""
    import matplotlib as mpl
    from matplotlib import pyplot

    mpl.use("Agg")
    yield
    pyplot.close("all")


@pytest.fixture(scope="session")
def spark():
    """A session of Spark; the test is skipped without pyspark (the extra `spark`) or Java."""
    pytest.importorskip("pyspark", reason="the extra `spark` is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, which is not here")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.ansi.enabled", "true")  # the default of Spark 4
        .getOrCreate()
    )
    yield session
    session.stop()
