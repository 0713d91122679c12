"""A StarScout command whose clocks count CPU time, for matches at equal time on a busy machine.

    python benchmarks/match_cpu_time.py match dark-chess strong "negascout eval=material" --time 0.01 --workers 0

Both players share one process (`--workers 0`) and are stopped by the CPU time that it has used. A time limit includes
the reserve of 4 ms: 0.01 s are about 5.7 ms of search. Under real-time scheduling the thread that stops a search gets a
higher priority, otherwise it would wait for the end of a time slice.
"""

import os
import sys
import threading
import time
from typing import Any

# Before any import that keeps a reference to these functions.
time.monotonic = time.perf_counter = time.process_time

from starscout.cli.main import main  # noqa: E402
from starscout.search import time_control  # noqa: E402

STOPPING_PRIORITY = 20
_run = time_control._StopTimer._run


def _run_urgently(self: Any) -> None:
    if os.sched_getscheduler(0) == os.SCHED_RR:
        os.sched_setscheduler(threading.get_native_id(), os.SCHED_RR, os.sched_param(STOPPING_PRIORITY))
    _run(self)


if __name__ == "__main__":
    time_control._StopTimer._run = _run_urgently
    sys.argv[0] = "starscout"
    main()
