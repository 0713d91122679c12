"""A misbehaving `lab` engine: it moves its only cube along the edge and commits the given fault.

rogue.py FAULT [PORT TOKEN]
"""

import os
import socket
import subprocess
import sys
import time

FAULT = sys.argv[1]

if len(sys.argv) > 2:
    connection = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
    reader, output = connection.makefile("rb"), connection.fileno()
    os.write(output, f"hello {FAULT} {sys.argv[3]}\n".encode())
else:
    connection = None
    reader, output = sys.stdin.buffer, 1


def say(text: str) -> None:
    data = text.encode()
    while data:
        data = data[os.write(output, data) :]


def walk(words: list[str]) -> str:
    """The next step of the cube that starts on A1 and moves right, then down."""
    own = words[words.index("moves") + 2 :: 4] if "moves" in words else []
    place = own[-1][2:] if own else "A1"
    column, row = place
    return place + (f"{chr(ord(column) + 1)}{row}" if column != "E" else f"E{int(row) + 1}")


def misbehave(move: str) -> None:
    match FAULT:
        case "garbage":
            say("\x00\xff garbage !!\nbestmove\x01 what\nbest move A1B1\n")
        case "illegal":
            say("bestmove A1E5\n")
        case "empty":
            say("bestmove\n")
        case "nothing":
            time.sleep(3600)
        case "late":
            time.sleep(2.5)
            say(f"bestmove {move}\n")
        case "megabyte":
            say("x" * 1_000_000)
            time.sleep(3600)
        case "half":
            say("bestmove A1")
            os._exit(3)
        case "crash":
            sys.stderr.write("Traceback: out of ideas\n")
            sys.stderr.flush()
            os._exit(7)
        case "stderr":
            os.write(2, b"blah " * 2_000_000)
            say(f"bestmove {move}\n")
        case "fork":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
            time.sleep(3600)
        case "escape":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"], start_new_session=True)
            time.sleep(3600)
        case "babble":
            while True:
                say("info score 0.1\n" * 1000)
        case "closes-input":
            os.close(0) if connection is None else connection.shutdown(socket.SHUT_RD)
            say(f"bestmove {move}\n")
            time.sleep(3600)
        case "closes-output":
            os.close(1) if connection is None else connection.shutdown(socket.SHUT_WR)
            time.sleep(3600)
        case "drip":
            for _ in range(6_000):
                say("b")
                time.sleep(0.01)
        case "early":
            # The second answer comes before its question.
            say(f"bestmove {move}\nbestmove A1B1\n")
        case "bytes":
            os.write(output, b"\xff\xfe\x00 bestmove\n\x80bestmove A1B1\nbestmove \xff\x00\n")
        case "leaves":
            os._exit(0)
        case "chatty":
            say(f"info depth ² nodes {'1' * 5_000} score 1e999\ninfo score nan simulations -1 depth\n")
            say("info score 7 depth x pv\ninfo score 0.5 depth 3 pv A1B1 2 E5D5\n# a comment\nnonsense\n")
            say(f"bestmove {move} # because\n")


position: list[str] = []
moves = 0
for line in reader:
    words = line.decode().split()
    if words[0] == "lab":
        say("id name Rogue\ngame ewn\nlabok\n")
    elif words[0] == "isready":
        say("readyok\n")
    elif words[0] == "ping":
        say(f"pong {words[1]}\n")
    elif words[0] == "newgame":
        moves = 0
    elif words[0] == "position":
        position = words
    elif words[0] == "go":
        moves += 1
        if moves >= 2 or FAULT in ("stderr", "chatty"):
            misbehave(walk(position))
        else:
            say(f"bestmove {walk(position)}\n")
    elif words[0] == "?":
        sys.stderr.write(" ".join(words) + "\n")
    elif words[0] == "quit":
        break
