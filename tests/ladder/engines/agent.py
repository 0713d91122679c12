"""A class that searches a fixed number of nodes with probability SHARE, else moves at random."""

import random

import starscout

SHARE, NODES = 1.0, 100


class Agent:
    def new_game(self, game, seed):
        self.random = random.Random(seed)
        self.search = starscout.player("negascout eval=distance", game)

    def choose(self, state, limit):
        if self.random.random() < SHARE:
            return self.search.choose(state, starscout.Limit(nodes=NODES))
        return self.random.choice(state.moves)
