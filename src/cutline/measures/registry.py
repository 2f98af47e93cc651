"""The registry that knows all measures, and the decorator by which a definition enters it."""

from __future__ import annotations

import copyreg
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, Literal, TypeVar

from cutline.core.errors import ParameterError, UnavailableError, UnknownNameError, hint_similar, shorten_repr
from cutline.core.validation import check_choice, check_text
from cutline.measures.entry_points import load_installed, load_module
from cutline.measures.measure_type import Better, Family, Measure, Needs
from cutline.measures.metadata import ReferenceValue, UndefinedWhen, make_constant
from cutline.measures.references import FOLLOWED, cite, load_bibliography

__all__ = ["MEASURES", "Better", "Family", "Measure", "Needs", "Registry", "measure"]

Named = TypeVar("Named", bound=Enum)


class Registry:
    """All measures, by name and by alias.

    >>> from cutline import MEASURES
    >>> MEASURES["ppv"] is MEASURES["precision"], "ppv" in MEASURES
    (True, True)
    >>> [m.name for m in MEASURES.search("matthews")]
    ['mcc']
    """

    def __init__(self) -> None:
        self._measures: dict[str, Measure] = {}
        self._by_name: dict[str, Measure] = {}
        self._plug_ins_are_loaded = False

    def add(self, measure: Measure) -> None:
        """Register a measure under its name and its aliases, which must be free.

        If a definition is executed again, by a notebook cell or a reloaded module, it replaces the former one.
        """
        former = self._measures.get(measure.name)
        again = former is not None and former is not measure and former.place == measure.place
        for name in measure.names:
            owner = self._by_name.get(name)
            if owner is not None and not (again and owner is former):
                raise ParameterError(f"The name {name!r} is already taken by {owner.name}", "choose another")
        if former is not None:
            self._forget(former)
        self._measures[measure.name] = measure
        self._by_name |= dict.fromkeys(measure.names, measure)

    def remove(self, name: str | Measure) -> None:
        """Remove a measure that was defined with `cutline.measure`; raise for measures of cutline."""
        measure = self[name]
        if not measure.own:
            raise ParameterError(f"{measure.name} is a measure of cutline", "remove only your own measures")
        self._forget(measure)
        del self._measures[measure.name]

    def _forget(self, measure: Measure) -> None:
        for name in measure.names:
            del self._by_name[name]

    def _load_plug_ins(self) -> None:
        """Load installed plug-ins when an unknown name, or the list of all measures, is first requested."""
        if not self._plug_ins_are_loaded:
            self._plug_ins_are_loaded = True  # set first, as a plug-in may look up measures itself
            load_installed()

    def __getitem__(self, name: str | Measure) -> Measure:
        if isinstance(name, Measure):
            return name
        if name in self:
            return self._by_name[self._find_registered_name(name)]
        hint = hint_similar(name, self._by_name) or " cutline.MEASURES lists them all."
        raise UnknownNameError(f"There is no measure {shorten_repr(name)}", hint=hint)

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        if name not in self._by_name:
            self._load_plug_ins()
        return self._find_registered_name(name) in self._by_name

    def _find_registered_name(self, name: str) -> str:
        """Find the registered spelling of a name, as names are accepted in any case."""
        return name if name in self._by_name else name.lower()

    def __iter__(self) -> Iterator[Measure]:
        self._load_plug_ins()
        return iter([measure for family in Family for measure in self._measures.values() if measure.family is family])

    def __reduce__(self) -> str:
        return "MEASURES"

    def __len__(self) -> int:
        self._load_plug_ins()
        return len(self._measures)

    @property
    def names(self) -> list[str]:
        """Every name and alias."""
        self._load_plug_ins()
        return list(self._by_name)

    def search(
        self,
        text: str = "",
        *,
        family: Family | str | None = None,
        needs: Needs | str | None = None,
        better: Better | Literal["any"] = "any",
        source: str | None = None,
    ) -> list[Measure]:
        """Return the measures that match all given criteria.

        Args:
            text: what the name, an alias, the title or the meaning contains.
            family: the question, as a `Family`, its short name such as "cut", or its words.
            needs: what the measure is a function of, as a `Needs` or its short name such as "counts".
            better: "higher", "lower", or None for measures that are neither good nor bad when they grow.
            source: a text that defines the measure, by its key, or by words of its author or title, such as "murphy";
                also with a place in it, such as "Berrar, Definition 15". A name that one of the four texts shares with
                others means that one.

        >>> [m.name for m in MEASURES.search("error", source="sonnenburg")]
        ['error_rate', 'balanced_error_rate']
        >>> [m.name for m in MEASURES.search(source="Berrar, Definition 15")]
        ['mcc']
        """
        check_text(text, "text", "recall")
        wanted_family = None if family is None else find_member(Family, family)
        wanted_needs = None if needs is None else find_member(Needs, needs)
        keys, place = (None, "") if source is None else _find_keys_and_place(check_text(source, "source", "murphy"))
        if better is not None:
            check_choice(better, "better", ("higher", "lower", "any"))

        def has_text(measure: Measure) -> bool:
            words = " ".join((*measure.names, measure.title, measure.meaning)).lower()
            return text.lower() in words or text.lower().replace(" ", "_") in words

        def fits(measure: Measure) -> bool:
            return (
                (not text or has_text(measure))
                and wanted_family in (None, measure.family)
                and wanted_needs in (None, measure.needs)
                and (better == "any" or measure.better == better)
                and (keys is None or any(_is_at(place, measure.source[key]) for key in keys & measure.source.keys()))
            )

        return [measure for measure in self if fits(measure)]

    def __repr__(self) -> str:
        return f"Registry of {len(self)} measures: {', '.join(self._measures)}"


MEASURES = Registry()
"""All measures: `MEASURES["ppv"]` by name or alias, `MEASURES.search("matthews")` by words."""


def find_member(enumeration: type[Named], name: Named | str) -> Named:
    """Return a member of an enumeration, by itself, by its name in small letters, or by its words."""
    for candidate in enumeration:
        if isinstance(name, str | Enum) and name in (candidate, candidate.name.lower(), candidate.value):
            return candidate
    names = ", ".join(candidate.name.lower() for candidate in enumeration)
    raise UnknownNameError(f"There is no {enumeration.__name__.lower()} {name!r}", f"choose one of {names}")


def list_measures(measures: Any) -> list[Any]:
    """Return the requested measures as a list, also of a single one."""
    if isinstance(measures, str | Measure):
        return [measures]
    if not isinstance(measures, Iterable) or getattr(measures, "ndim", 1) == 0:
        raise ParameterError(
            f"is {shorten_repr(measures)}", "pass names of measures, such as ['auc', 'mcc']", argument="measures"
        )
    return list(measures)


def _find_keys_and_place(source: str) -> tuple[set[str], str]:
    """Find the texts that the words name, and the place after a comma, if there is one."""
    text, _, place = source.partition(",")
    for words, where in ((source, ""), (text, place.strip())):
        if keys := _find_keys(_normalise_words(words)):
            return keys, where
    names = ", ".join(cite(key).rstrip(" 0123456789") for key in FOLLOWED)
    hint = hint_similar(source, _list_texts()) or f" The four texts are {names}."
    raise UnknownNameError(f"No source is called {source!r}", hint=hint)


def _find_keys(words: str) -> set[str]:
    """Find the keys of texts: by key, by the name of one of the four sources, or by words in author or title."""
    texts = _list_texts()
    known = {_normalise_words(key): key for key in texts} | {key.rstrip("0123456789"): key for key in FOLLOWED}
    if words in known:
        return {known[words]}
    return {key for key, text in texts.items() if words in _normalise_words(f"{key} {cite(key)} {text}")}


def _normalise_words(words: str) -> str:
    """Normalise words to small letters joined by hyphens: "Arbel & Rokach" is "arbel-rokach"."""
    words = words.strip().lower()
    return " ".join(re.sub(r"[&-]|\band\b", " ", words).split()) or words


def _list_texts() -> dict[str, str]:
    """Return all texts that measures cite: those of the bibliography, and those of users' own measures."""
    return load_bibliography() | {
        key: key for measure in MEASURES for key in measure.source if key not in load_bibliography()
    }


def _is_at(asked_place: str, place: str) -> bool:
    """Whether two places are the same: "Definition 1" is not "Definition 15"."""
    return re.search(rf"\b{re.escape(asked_place)}\b", place, re.IGNORECASE) is not None if asked_place else True


# ---------------------------------------------------------------------- stored by name


def _reduce_by_name(measure: Measure) -> tuple[Any, ...]:
    # The module's attribute of that name is the measure, not its function, so pickle cannot store the function.
    return _restore, (measure.name, dict(measure.bound), measure.place[0])


def _restore(name: str, bound: dict[str, Any], module: str) -> Measure:
    """Return the measure of that name when it is unpickled; `module` is where it was defined."""
    if name not in MEASURES:
        try:
            load_module(module)
        except ParameterError as error:
            raise UnavailableError(
                f"The measure {name} was defined in {module}, which cannot be imported here",
                "put its definition into a module that this process can import",
            ) from error
        if name not in MEASURES:
            raise UnavailableError(
                f"The measure {name} was defined in {module}, but importing that does not define it here",
                "put its definition at the top of a module that this process can import",
            )
    return MEASURES[name].with_(**bound)


copyreg.pickle(Measure, _reduce_by_name)


# ---------------------------------------------------------------------- the decorator


def measure(
    *,
    title: str,
    formula: str,
    range: tuple[float, float],
    better: Better,
    perfect: float | ReferenceValue,
    baseline: float | ReferenceValue,
    needs: Needs,
    family: Family,
    source: str | Iterable[str] | Mapping[str, str],
    undefined: UndefinedWhen | tuple[UndefinedWhen, ...] = (),
    **more: Any,
) -> Callable[[Callable[..., Any]], Measure]:
    """Make a `Measure` of a definition with its properties, and register it under its name.

    `cutline.measure` asks for less, and is what people use.

    Args:
        title: What people call it.
        formula: The formula in LaTeX.
        range: The lowest and the highest value it can have.
        better: "higher", "lower" or None.
        perfect: The value of a perfect model.
        baseline: The value of a score without information, which is the same for all cases.
        needs: What it is computed from.
        family: The question it answers.
        source: The key of a text that defines it, or several, each with the place in the text if a mapping tells it.
        undefined: When it has no value.
        **more: Other fields of `Measure`.
    """

    def define(function: Callable[..., Any]) -> Measure:
        facts = {"name": function.__name__, **more}
        defined = Measure(
            function=function,
            title=title,
            formula=formula,
            range=range,
            better=better,
            perfect=perfect if isinstance(perfect, ReferenceValue) else make_constant(perfect),
            baseline=baseline if isinstance(baseline, ReferenceValue) else make_constant(baseline),
            needs=needs,
            family=family,
            source=_read_places(source),
            undefined=(undefined,) if isinstance(undefined, UndefinedWhen) else undefined,
            **facts,
        )
        MEASURES.add(defined)
        return defined

    return define


def _read_places(source: str | Iterable[str] | Mapping[str, str]) -> dict[str, str]:
    if isinstance(source, Mapping):
        return dict(source)
    return dict.fromkeys([source] if isinstance(source, str) else source, "")
