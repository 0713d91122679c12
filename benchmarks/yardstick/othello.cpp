// Othello as starscout/games/othello.py plays it: the same words, fills and random numbers, for g++ -O3 -march=native.
#include <immintrin.h>
#include "random.h"

struct Position {
    Word own, enemy;
};

static const Word INNER = 0x7E7E7E7E7E7E7E7Eu;

template <int SHIFT> static inline Word reach(Word own, Word turnable) {
    Word up = turnable & (own << SHIFT), down = turnable & (own >> SHIFT);
    up |= turnable & (up << SHIFT);
    down |= turnable & (down >> SHIFT);
    Word pairs_up = turnable & (turnable << SHIFT), pairs_down = turnable & (turnable >> SHIFT);
    up |= pairs_up & (up << 2 * SHIFT);
    down |= pairs_down & (down >> 2 * SHIFT);
    up |= pairs_up & (up << 2 * SHIFT);
    down |= pairs_down & (down >> 2 * SHIFT);
    return (up << SHIFT) | (down >> SHIFT);
}

static inline Word mobility(Word own, Word enemy) {
    Word turnable = enemy & INNER;
    Word found = reach<1>(own, turnable) | reach<8>(own, enemy) | reach<7>(own, turnable) | reach<9>(own, turnable);
    return found & ~(own | enemy);
}

template <int SHIFT> static inline Word turned(Word disc, Word own, Word turnable) {
    Word up = turnable & (disc << SHIFT), down = turnable & (disc >> SHIFT);
    up |= turnable & (up << SHIFT);
    down |= turnable & (down >> SHIFT);
    Word pairs_up = turnable & (turnable << SHIFT), pairs_down = turnable & (turnable >> SHIFT);
    up |= pairs_up & (up << 2 * SHIFT);
    down |= pairs_down & (down >> 2 * SHIFT);
    up |= pairs_up & (up << 2 * SHIFT);
    down |= pairs_down & (down >> 2 * SHIFT);
    return (own & (up << SHIFT) ? up : 0) | (own & (down >> SHIFT) ? down : 0);
}

static inline Position play(Position p, int square) {
    Word disc = Word(1) << square, turnable = p.enemy & INNER;
    Word flips = turned<1>(disc, p.own, turnable) | turned<8>(disc, p.own, p.enemy) |
                 turned<7>(disc, p.own, turnable) | turned<9>(disc, p.own, turnable);
    return {p.enemy ^ flips, p.own | disc | flips};
}

static int64_t leaves(Position p, int depth) {
    if (depth == 0) return 1;
    Word moves = mobility(p.own, p.enemy);
    if (!moves) return mobility(p.enemy, p.own) ? leaves({p.enemy, p.own}, depth - 1) : 1;
    if (depth == 1) return _mm_popcnt_u64(moves);
    int64_t total = 0;
    for (; moves; moves &= moves - 1) total += leaves(play(p, _tzcnt_u64(moves)), depth - 1);
    return total;
}

static const Position START = {0x0000000810000000u, 0x0000001008000000u};

extern "C" int64_t perft(int depth) { return leaves(START, depth); }

extern "C" void random_games(Word seed, Word first, int64_t count, Tally *tally) {
    *tally = {count, 0, 0, 0};
    for (int64_t number = 0; number < count; number++) {
        Word game_seed = random_word(seed, first + number), counter = 0;
        Position p = START;
        for (;;) {
            Word moves = mobility(p.own, p.enemy);
            if (moves) {
                Word chosen = _pdep_u64(Word(1) << below(random_word(game_seed, counter), _mm_popcnt_u64(moves)), moves);
                p = play(p, _tzcnt_u64(chosen));
            } else if (mobility(p.enemy, p.own)) {
                p = {p.enemy, p.own};
            } else {
                break;
            }
            counter++;
        }
        int margin = int(_mm_popcnt_u64(p.own)) - int(_mm_popcnt_u64(p.enemy));
        if (counter & 1) margin = -margin;
        tally->plies += counter;
        tally->wins += margin > 0;
        tally->draws += margin == 0;
    }
}
