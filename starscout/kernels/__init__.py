"""Compiled code: the only package that imports Numba's compiler."""
