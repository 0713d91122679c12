"""An `otp` engine that only connects over TCP, and prints to standard output without flushing."""

import socket
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from reversi import Board  # pyright: ignore[reportMissingImports]

connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
board = Board()
while data := connection.recv(4096):
    word, *rest = data.decode().lower().split()
    print("received", word)
    answer = word
    if word == "name":
        answer = "name tcp"
    elif word == "clear_board":
        board = Board()
    elif word == "play":
        board.play((int(rest[0]), int(rest[1])) if rest[0] != "8" else None)
    elif word == "genmove":
        move = next(iter(board.moves()), None)
        board.play(move)
        answer = f"genmove {move[0]} {move[1]}" if move else "genmove 8 0"
    connection.sendall(answer.encode())
    if word == "quit":
        break
