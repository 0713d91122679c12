"""Sorting inside kernels, in place and without extra memory."""

import numpy

from starscout.kernels.kernel import kernel


@kernel
def heap_sort(numbers: numpy.ndarray, count: int) -> None:
    """Sort the first `count` numbers, the largest first."""
    for step in range(count // 2 + count - 1):
        # Build a min-heap, then repeatedly move its top behind the heap.
        root, size = count // 2 - 1 - step, count
        if root < 0:
            root, size = 0, count - 1 - (step - count // 2)
            numbers[0], numbers[size] = numbers[size], numbers[0]
        child = 2 * root + 1
        while child < size:
            if child + 1 < size and numbers[child + 1] < numbers[child]:
                child += 1
            if numbers[root] <= numbers[child]:
                break
            numbers[root], numbers[child] = numbers[child], numbers[root]
            root, child = child, 2 * child + 1
