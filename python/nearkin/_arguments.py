"""Arguments of the wrong kind are refused by name, with the value and what would be right."""

from __future__ import annotations

import functools
import inspect
import math
import os
from collections.abc import Mapping
from typing import Any, Callable, Optional, ParamSpec, TypeVar, Union

import numpy as np

from . import _core
from ._core import Plan

P = ParamSpec("P")
T = TypeVar("T")
Check = Callable[[Any, str], object]

_LONG = {"seed", "max_pairs", "audit", "max_candidates", "passages", "items"}  # 64 bits; other whole numbers have 32


_LEAST = {"top": 1}  # what is less would be nothing


def shown(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else text[:60] + "..."


def _wrong(value: object, name: str, right: str) -> TypeError:
    return TypeError(f"{name}: {shown(value)} is {type(value).__name__}; give {right}")


def _whole(value: Any, name: str) -> None:
    least = _LEAST.get(name, 0)
    if type(value) is not int or not least <= value < 2**32:
        _core.whole_number(value, name, least, 2**64 - 1 if name in _LONG else 2**32 - 1)


def _text(value: Any, name: str) -> None:
    if type(value) is not str or not value.isascii():
        _core.text_argument(value, name)


def _number(value: Any, name: str) -> None:
    try:
        math.isnan(value)  # which takes all that can be a float, and no text that spells one
    except (TypeError, ValueError, OverflowError):
        raise _wrong(value, name, "a number") from None
    if isinstance(value, (bool, np.bool_, np.ndarray)):
        raise _wrong(value, name, "a number")


def _truth(value: Any, name: str) -> None:
    if not isinstance(value, (bool, np.bool_)):
        raise _wrong(value, name, "True or False")


def _path(value: Any, name: str) -> None:
    if not isinstance(value, (str, os.PathLike)) or not isinstance(os.fspath(value), str):
        raise _wrong(value, name, "a path (str or pathlib.Path)")
    _text(os.fspath(value), name)


def _mapping(value: Any, name: str) -> None:
    if not isinstance(value, Mapping):
        raise _wrong(value, name, "a dict")


def _called(value: Any, name: str) -> None:
    if not callable(value) and not isinstance(value, bool):
        raise _wrong(value, name, "True, or a function of (stage, done, total)")


# Names of a few words are looked at by what knows them, which says what there is.
_CHECKS: dict[str, Check] = {"int": _whole, "float": _number, "str": _text, "bool": _truth, "Union[str, os.PathLike[str]]": _path,
                             "Mapping[str, Any]": _mapping, "Progress": _called, "Measure": _text, "Linkage": _text, "Keep": _text, "Token": _text}


def _check_of(annotation: str) -> Optional[Check]:
    """By what is written there: annotations are texts, as they are not evaluated."""
    if not annotation.startswith("Optional["):
        return _CHECKS.get(annotation)
    check = _CHECKS.get(annotation[len("Optional["):-1])
    return check and (lambda value, name: None if value is None else check(value, name))


def checked(function: Callable[P, T]) -> Callable[P, T]:
    """Looks at the arguments that are annotated as numbers, texts and the like before the function does."""
    parameters = inspect.signature(function).parameters
    names = list(parameters)
    checks = {name: check for name, parameter in parameters.items() if (check := _check_of(str(parameter.annotation)))}

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        for name, value in (*zip(names, args), *kwargs.items()):
            if name in checks:
                checks[name](value, name)
        return function(*args, **kwargs)

    return call


def plan_of(plan: Union[Plan, str]) -> Plan:
    """A plan, or its line."""
    if isinstance(plan, Plan):
        return plan
    if isinstance(plan, str):
        return Plan(plan)
    raise TypeError(f"plan: {shown(plan)} is no plan; use nearkin.tune(...), or the line of a plan")
