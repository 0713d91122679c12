"""The ladder: a rating server for a course, to which students submit engines.

configuration.py   `ladder.toml` and the layout of the folder
schema.py          the tables of the ladder beside those of the arena, and their rows
store.py           students, submissions, versions, games: one SQLite file
tokens.py          tokens of students and of the teacher
archives.py        unpacking of untrusted archives
build.py           build and check of a submission, both isolated
submissions.py     the queue of submissions, and the watched folder
ratings.py         Bradley-Terry ratings with a prior, updated after every pair
pairing.py         the most informative pair of players
league.py          the ratings, the pairing and the pairs in progress of one game
director.py        plays pairs of games on workers, and the final tournament
similarity.py      answers of engines in fixed positions
client.py          `starscout submit`
server.py          the web server; pages.py and teacher.py are its pages
"""
