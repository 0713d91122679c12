"""Relay between a referee and an engine that logs every byte: tap.py LOG COMMAND…

The log has a line for each piece that passed: `>` to the engine or `<` from it, and the bytes in hexadecimal.
"""

import os
import subprocess
import sys
import threading

log, command = sys.argv[1], sys.argv[2:]
engine = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
assert engine.stdin is not None
assert engine.stdout is not None
lock = threading.Lock()


def copy(source: int, target: int, arrow: str) -> None:
    while chunk := os.read(source, 65_536):
        with lock, open(log, "a") as file:
            file.write(f"{arrow} {chunk.hex()}\n")
        try:
            os.write(target, chunk)
        except BrokenPipeError:
            break
    os.close(target)


back = threading.Thread(target=copy, args=(engine.stdout.fileno(), 1, "<"))
back.start()
copy(0, engine.stdin.fileno(), ">")
back.join()
