"""Packages that are imported when they are used; an error says what to install."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

    pd = pandas
else:

    class _Pandas:
        """Lazy stand-in for pandas."""

        def __getattr__(self, name: str) -> Any:
            return getattr(import_module("pandas"), name)

    pd = _Pandas()


def pyplot() -> ModuleType:
    """Return matplotlib.pyplot."""
    return load("matplotlib.pyplot", "figures need matplotlib", "plot")


def scikit_posthocs() -> ModuleType:
    """Return scikit_posthocs."""
    return load("scikit_posthocs", "post-hoc tests need scikit-posthocs", "stats")


def bokeh_resources() -> str:
    """Return Bokeh's JavaScript, ready to be put into a script element."""
    resources = load("bokeh.resources", "a page needs bokeh", "report")
    parts = resources.Resources(mode="inline", components=["bokeh"], log_level="error").js_raw
    return "\n".join(parts).replace("</script", "<\\/script")


def pyarrow(module: str = "pyarrow") -> ModuleType:
    """Return pyarrow or one of its modules, which takes long to import."""
    return load(module, "files and frames of other libraries need pyarrow", "")


def load(module: str, need: str, extra: str = "") -> ModuleType:
    """Return a module; an error names the feature that needs it, and the package to install."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        name = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != name:
            raise  # it is installed, but does not work
        package = f'"pt_cumgain[{extra}]"' if extra else name
        raise ImportError(f"{need}: pip install {package}") from None
