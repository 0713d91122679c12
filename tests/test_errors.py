"""Error attribution: internal errors keep their traceback, errors in user files become one-line messages."""

import json
import pickle
from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.errors import CodeError, compile_error, is_internal_file, is_user_file, user_code_error
from starscout.game.state import State
from starscout.kernels.kernel import PLAIN, kernel

HERE = str(Path(__file__))
compiled = pytest.mark.skipif(PLAIN, reason="kernels are not compiled")


def caught(function) -> Exception:
    try:
        function()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def test_an_error_in_a_user_file_names_file_line_and_function() -> None:
    def fails() -> None:
        raise LookupError("no such thing")

    fault = user_code_error(caught(fails))
    assert fault is not None
    line = fails.__code__.co_firstlineno + 1
    assert str(fault) == f"{HERE}:{line} in fails: LookupError: no such thing"
    assert fault.is_beside(str(Path(HERE).parent / "other.py"))
    assert not fault.is_beside("/elsewhere/other.py")


def test_frames_of_libraries_count_as_their_callers() -> None:
    fault = user_code_error(caught(lambda: json.loads("{")))
    assert fault is not None
    assert "JSONDecodeError" in str(fault)
    assert HERE in str(fault)


def test_internal_errors_are_not_attributed_to_the_user() -> None:
    broken = State(None, None)  # pyright: ignore[reportArgumentType]
    assert user_code_error(caught(lambda: broken.mover)) is None
    assert is_internal_file(starscout.__file__)
    assert not is_user_file(starscout.__file__)
    assert not is_user_file(json.__file__)
    assert not is_user_file("<string>")
    assert is_user_file(HERE)


def test_code_error_can_be_pickled() -> None:
    fault = pickle.loads(pickle.dumps(CodeError("/a/game.py", "play fails")))
    assert (str(fault), fault.file) == ("play fails", "/a/game.py")


@compiled
def test_compile_errors_name_the_innermost_kernel() -> None:
    @kernel
    def inner(number):
        return number + "x"

    @kernel
    def good(number):
        return number

    @kernel
    def outer(number):
        return good(inner(number)) + good(number)

    with pytest.raises(CodeError) as caught_error:
        outer(1)
    line = inner.py_func.__code__.co_firstlineno + 2  # pyright: ignore[reportFunctionMemberAccess]
    start = f"{HERE}:{line} in inner: cannot be compiled: there is no add(int64, str). Kernels support numbers"
    assert str(caught_error.value).startswith(start)


@compiled
def test_compile_errors_name_the_line_of_an_undefined_name() -> None:
    @kernel
    def lost(number):
        number += 1
        return number + nowhere  # pyright: ignore # noqa: F821

    with pytest.raises(CodeError, match="NameError: name 'nowhere' is not defined") as caught_error:
        lost(1)
    line = lost.py_func.__code__.co_firstlineno + 3  # pyright: ignore[reportFunctionMemberAccess]
    assert f"{HERE}:{line} in lost: " in str(caught_error.value)


@compiled
def test_an_exception_in_a_kernel_names_the_kernel() -> None:
    @kernel
    def strict(number):
        if number > 0:
            raise ValueError("positive")
        return number

    fault = user_code_error(caught(lambda: strict(1)))
    assert fault is not None
    assert " in strict: " in str(fault)
    assert str(fault).endswith(": ValueError: positive")


@compiled
def test_incompatible_kernels_are_attributed_to_the_user_file() -> None:
    """Each kernel compiles alone; an internal kernel that calls them does not."""
    from dataclasses import replace

    from starscout.search.perft import perft

    @kernel
    def words(position, roll, out):
        return "many"

    game = replace(games.load("ewn-3x3-3"), moves=words)
    with pytest.raises(CodeError, match=r"test_errors.py: kernels with incompatible types: "):
        perft(game, game.start_position(0), 2)


def test_compile_errors_of_internal_kernels_are_internal() -> None:
    from starscout.kernels.bits import mix

    function = getattr(mix, "py_func", mix)
    assert compile_error(function, TypeError("Cannot unify")) is None
