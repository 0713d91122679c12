"""Checks that hold for every result of the API."""

import json
from html import escape

import starscout


def fields(result: starscout.Result) -> set[str]:
    """The fields of the JSON of a result, which are its attributes too."""
    told = json.loads(json.dumps(result.json()))
    # `rows` is a method of the result.
    assert all(hasattr(result, name) for name in told if name != "rows")
    assert result.frame().shape[0] == len(result.rows())
    assert escape(str(result)) in result._repr_html_() or "<svg" in result._repr_html_()
    return set(told)
