"""The user's own titles for measures and systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pt_cumgain.inputs.arguments import Measures, list_measures
from pt_cumgain.measures import split_cutoff
from pt_cumgain.options import checked
from pt_cumgain.writing.names import Form, read_names

Titles = Mapping[Any, str] | str | None


def titles_by_text(titles: Titles, keys: Sequence[Any]) -> dict[str, str]:
    """Return the user's titles by the texts of their keys.

    A measure's title, without the cutoff, is also the title of the measure's curve, which has no
    cutoff, unless the measure has different titles at several cutoffs.

    Raises
    ------
    TypeError, ValueError
        If titles are neither a mapping nor a text, if they have no title for any of the keys, or
        if there is one title for several keys.
    """
    texts = [str(key) for key in keys]
    if titles is None:
        return {}
    if isinstance(titles, str):
        if len(texts) > 1:
            raise ValueError(
                f"titles={titles!r} is one title for {len(texts)} panels; give a mapping, such as "
                f"{{{texts[0]!r}: 'a title'}}"
            )
        return {texts[0]: titles}
    if not isinstance(titles, Mapping):
        raise TypeError(f"titles={titles!r} must be a mapping of measures to titles, or a text")
    by_text = {str(key): title for key, title in titles.items()}
    uncut: dict[str, set[str]] = {}
    for key, title in by_text.items():
        uncut.setdefault(split_cutoff(key)[0], set()).add(split_cutoff(title)[0])
    by_text = {key: title for key, (title, *more) in uncut.items() if not more} | by_text
    if by_text and by_text.keys().isdisjoint(texts):
        raise ValueError(
            f"titles are for {list(map(str, titles))}, but the picture shows {', '.join(texts)}"
        )
    return by_text


def split_titles(titles: Titles, *names: Any) -> tuple[dict[Any, str], str | None]:
    """Return a text for each name, the user's title if there is one; and the picture's title."""
    whole = titles if isinstance(titles, str) else None
    by_text = titles_by_text(None if whole is not None else titles, names)
    written = {text: name.write() for text, name in read_names(names, long=True).items()} | by_text
    return {name: written[str(name)] for name in names}, whole


@checked
def name_measures(measures: Measures, *, form: Form = "text", long: bool = False) -> dict[str, str]:
    r"""Return the names of measures in tables and figures, by the measures' texts.

    A name consists of the measure and its rank, followed by the parameters in
    which the measures differ, in parentheses. Defaults are left out, except for
    the base of a discount. A single measure shows all of its parameters, and so
    do measures in figures, where there is no note on common parameters.

    Parameters
    ----------
    measures
        Measures, as objects or text. A measure of another package keeps its
        text.
    form
        ``"latex"`` is for LaTeX, and ``"mathtext"`` for matplotlib: symbols are
        mathematics there.
    long
        Name all parameters, not only those in which the measures differ.

    Returns
    -------
    dict
        As ``titles`` of figures, ``measures`` of :func:`pt_cumgain.paper_table`
        and pandas' ``rename`` take it.

    Raises
    ------
    TypeError, ValueError
        If there is no measure, something is neither a measure nor a text, or an
        option is not one of these.

    Examples
    --------
    >>> measures = ["nDCG@10", "nDCG(gains='0-1-10-100')@10", "DCG(discount='original',base=10)@5"]
    >>> list(name_measures(measures).values())
    ['nDCG@10', 'nDCG@10 (0-1-10-100)', 'DCG@5 (original, b = 10)']
    >>> list(name_measures(measures, form="latex", long=True).values())[-1]
    'DCG@5 {\\footnotesize (original, $b$ = 10)}'
    """
    names = read_names(list_measures(measures), long=long)
    return {text: name.write(form) for text, name in names.items()}
