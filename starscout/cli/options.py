"""Command-line options derived from the settings schema.

A command declares settings; this module translates its signature for Typer. Positional parameters become arguments,
keyword-only parameters options, and the keys of a TypedDict (`**settings: Unpack[RunSettings]`) an option each:

    def command(game: GameName, *, depth: Depth = 5, json: Json = False) -> None: ...
"""

import functools
import inspect
import os
import types
from collections.abc import Callable, Sequence
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from starscout.settings.options import DESCRIPTIONS, parse_text
from starscout.settings.schema import SettingError, expected, field_hints, resolve

METAVARS = {int: "INTEGER", float: "NUMBER", str: "TEXT"}


def typer_command(function: Callable[..., None]) -> Callable[..., None]:
    """Translate the signature of a command for Typer; keys of a TypedDict that the user omits are not passed."""
    hints = get_type_hints(function, include_extras=True)
    parameters: list[inspect.Parameter] = []
    keys: set[str] = set()
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            (group,) = get_args(hints[name])
            found = {key: hint for key, hint in field_hints(group).items() if not resolve(hint)[1].api_only}
            keys |= set(found)
            parameters += [_parameter(key, hint | None, None, option=True) for key, hint in found.items()]
        else:
            option = parameter.kind is inspect.Parameter.KEYWORD_ONLY
            parameters.append(_parameter(name, hints[name], parameter.default, option=option))
    parameters.sort(key=lambda parameter: parameter.name == "json")

    @functools.wraps(function)
    def command(**given: Any) -> None:
        function(**{name: value for name, value in given.items() if value is not None or name not in keys})

    command.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportAttributeAccessIssue]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def option_name(name: str) -> str:
    """Return the option of a setting: `--game-time`."""
    return f"--{name.replace('_', '-')}"


def _parameter(name: str, hint: Any, default: Any, *, option: bool) -> inspect.Parameter:
    kinds, setting = resolve(hint)
    kind = next(kind for kind in kinds if kind is not types.NoneType)
    details: dict[str, Any] = {"help": setting.help}
    metavar = setting.metavar or (METAVARS.get(kind, "") if option else name.upper())
    if metavar:
        details["metavar"] = metavar
    if kind in (int, float):
        details["parser"] = functools.partial(_parsed, name, hint)
    origins = [get_origin(kind) for kind in kinds]
    if os.PathLike in origins:
        kind = str
    elif Sequence in origins:
        kind = list[str]
    if not option:
        info: Any = typer.Argument(**details)
    else:
        info = typer.Option(*(setting.flags or (option_name(name),)), **details)
    annotation = Annotated[kind if types.NoneType not in kinds else kind | None, info]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _parsed(name: str, hint: Any, text: Any) -> Any:
    """Parse a number; Typer adds the name of the option to the error."""
    if not isinstance(text, str):
        return text
    try:
        return parse_text(name, text, hint)
    except SettingError as error:
        raise typer.BadParameter(f"expected {expected(hint, DESCRIPTIONS)}, got {text!r}") from error
