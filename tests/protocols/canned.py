"""An engine with canned answers: canned.py '{"genmove": "genmove 0 0", …}'

Each line is answered with the value of the longest key with which it begins. `null` hangs, `"DIE"` dies. The key
`"RAW"` answers the first bytes, whatever they are, without a line end.
"""

import json
import os
import sys
import time

answers = json.loads(sys.argv[1])


def give(answer: str | None, end: str) -> None:
    if answer is None:
        time.sleep(3600)
    elif answer == "DIE":
        sys.stderr.write("bye\n")
        sys.stderr.flush()
        os._exit(5)
    else:
        os.write(1, (answer + end).encode())


if "RAW" in answers:
    os.read(0, 1000)
    for answer in answers["RAW"]:
        give(answer, "")
    time.sleep(3600)
for line in sys.stdin:
    keys = [key for key in answers if line.startswith(key)]
    if keys:
        give(answers[max(keys, key=len)], "\n")
