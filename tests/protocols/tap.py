"""Stands between a referee and an engine and writes down every byte: tap.py LOG COMMAND…

The log has a line for each line of the protocol (`>` to the engine, `<` from it); where a protocol has no line ends, a
line for each turn of the conversation. What is no plain text is escaped.
"""

import os
import subprocess
import sys
import threading

log, command = sys.argv[1], sys.argv[2:]
engine = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
assert engine.stdin is not None
assert engine.stdout is not None
talk: list[tuple[str, bytes]] = []
lock = threading.Lock()


def copy(source: int, target: int, arrow: str) -> None:
    while chunk := os.read(source, 65_536):
        with lock:
            if talk and talk[-1][0] == arrow:
                talk[-1] = arrow, talk[-1][1] + chunk
            else:
                talk.append((arrow, chunk))
        try:
            os.write(target, chunk)
        except BrokenPipeError:
            break
    os.close(target)


back = threading.Thread(target=copy, args=(engine.stdout.fileno(), 1, "<"))
back.start()
copy(0, engine.stdin.fileno(), ">")
back.join()
with open(log, "w") as file:
    for arrow, data in talk:
        lines = data.split(b"\n")
        unfinished = lines.pop()
        for line in lines:
            file.write(f"{arrow} {line.decode('unicode_escape')}\n")
        if unfinished:
            file.write(f"{arrow} {unfinished.decode('unicode_escape')} (no line end)\n")
