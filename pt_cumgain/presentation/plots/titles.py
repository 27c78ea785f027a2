"""What users call measures and systems in pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pt_cumgain.measures import split_cutoff

Titles = Mapping[Any, str] | str | None


def own_titles(titles: Titles, keys: Sequence[Any]) -> dict[str, str]:
    """Return what the user calls the keys, by their texts.

    A measure is known with its cutoff too, since the labels of a grid have it and curves do not.

    Raises
    ------
    ValueError
        If none of the keys has a title, or one title is given for several keys.
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
    own = {str(key): title for key, title in titles.items()}
    uncut: dict[str, set[str]] = {}
    for key, title in own.items():
        uncut.setdefault(split_cutoff(key)[0], set()).add(split_cutoff(title)[0])
    own = {key: title for key, (title, *more) in uncut.items() if not more} | own
    if own and not own.keys() & set(texts):
        raise ValueError(f"titles name none of {texts}; they are for {list(map(str, titles))}")
    return own


def split_titles(titles: Titles, *names: Any) -> tuple[dict[Any, str], str | None]:
    """Return what the user calls measures and systems, or their own names; and a whole title.

    Raises
    ------
    ValueError
        As :func:`own_titles`.
    """
    whole = titles if isinstance(titles, str) else None
    own = own_titles(None if whole is not None else titles, names)
    return {name: own.get(str(name), str(name)) for name in names}, whole
