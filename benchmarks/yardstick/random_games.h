// The random numbers of starscout/kernels/bits.py and the loop of starscout/search/playouts.py.
#pragma once
#include <cstdint>
#include <utility>
using Word = uint64_t;

static inline Word mix(Word bits) {
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
    return bits ^ (bits >> 31);
}

// Number `counter` of the random words of `seed` (SplitMix64).
static inline Word random_word(Word seed, Word counter) { return mix(seed + 0x9E3779B97F4A7C15u * (counter + 1)); }

static inline Word below(Word random, Word limit) { return ((random >> 32) * limit) >> 32; }

enum Result { LOSS = -1, DRAW = 0, WIN = 1, ONGOING = 2 };

struct GameTotals {
    int64_t games, plies, wins, draws;

    void add(int result, Word ply) {
        plies += ply;
        wins += result == (ply & 1 ? LOSS : WIN);
        draws += result == DRAW;
    }
};

// A random game under way. Rules: Position, opening(seed), outcome(position), next_ply(position, random word).
template <class Rules> struct RandomGame {
    Word seed, ply;
    typename Rules::Position position;

    explicit RandomGame(Word seed) : seed(seed), ply(0), position(Rules::opening(seed)) {}
    void step() { position = Rules::next_ply(position, random_word(seed, ply++)); }
    int outcome() const { return Rules::outcome(position); }
};

// Two games side by side: each ply waits for the one before, so the processor works on the other game.
template <class Rules> static void play_many(Word seed, Word first, int64_t count, GameTotals *totals) {
    GameTotals sums = {count, 0, 0, 0};
    RandomGame<Rules> a(random_word(seed, first)), b(random_word(seed, first + 1));
    int64_t begun = 2;
    while (count > 1) {
        int result = a.outcome();
        if (result == ONGOING) {
            result = b.outcome();
            if (result == ONGOING) {
                a.step();
                b.step();
                continue;
            }
            std::swap(a, b);
        }
        sums.add(result, a.ply);
        if (begun == count) {
            a = b;
            break;
        }
        a = RandomGame<Rules>(random_word(seed, first + begun++));
    }
    while (a.outcome() == ONGOING) a.step();
    sums.add(a.outcome(), a.ply);
    *totals = sums;
}
