// Othello as starscout/games/othello/rules.py plays it: the same words, fills and random numbers, for
// g++ -O3 -march=native.
#include <immintrin.h>
#include "random_games.h"

struct Position {
    Word own, enemy;
};

// Four words side by side, one for each line through a square: row, column and the two diagonals.
typedef Word Lanes __attribute__((vector_size(32)));
static const Word INNER = 0x7E7E7E7E7E7E7E7Eu, ALL = ~Word(0);
static const Lanes STEP = {1, 8, 7, 9}, TURNABLE = {INNER, ALL, INNER, INNER};

static inline Lanes spread(Word word) { return Lanes{word, word, word, word}; }
static inline Word join(Lanes value) {
    __m128i half = _mm_or_si128(_mm256_castsi256_si128((__m256i)value), _mm256_extracti128_si256((__m256i)value, 1));
    return _mm_cvtsi128_si64(half) | _mm_extract_epi64(half, 1);
}

static inline void lines(Word from_discs, Word enemy, Lanes &up, Lanes &down) {
    Lanes turnable = spread(enemy) & TURNABLE, origin = spread(from_discs);
    up = turnable & (origin << STEP);
    down = turnable & (origin >> STEP);
    up |= turnable & (up << STEP);
    down |= turnable & (down >> STEP);
    Lanes pairs_up = turnable & (turnable << STEP), pairs_down = turnable & (turnable >> STEP);
    up |= pairs_up & (up << 2 * STEP);
    down |= pairs_down & (down >> 2 * STEP);
    up |= pairs_up & (up << 2 * STEP);
    down |= pairs_down & (down >> 2 * STEP);
}

static inline Word mobility(Word own, Word enemy) {
    Lanes up, down;
    lines(own, enemy, up, down);
    return join((up << STEP) | (down >> STEP)) & ~(own | enemy);
}

static inline Word turned(Word disc, Word own, Word enemy) {
    Lanes up, down, discs = spread(own);
    lines(disc, enemy, up, down);
    return join((((discs & (up << STEP)) != 0) & up) | (((discs & (down >> STEP)) != 0) & down));
}

static inline Position play(Position p, int square) {
    Word disc = Word(1) << square, flips = turned(disc, p.own, p.enemy);
    return {p.enemy ^ flips, p.own | disc | flips};
}

static inline int64_t last_ply(Position p) {
    Word moves = mobility(p.own, p.enemy);
    return moves ? _mm_popcnt_u64(moves) : 1;
}

static int64_t leaves(Position p, int depth) {
    if (depth == 0) return 1;
    if (depth == 1) return last_ply(p);
    Word moves = mobility(p.own, p.enemy);
    if (!moves) return mobility(p.enemy, p.own) ? leaves({p.enemy, p.own}, depth - 1) : 1;
    int64_t total = 0;
    for (; moves; moves &= moves - 1) {
        Position following = play(p, _tzcnt_u64(moves));
        total += depth == 2 ? last_ply(following) : leaves(following, depth - 1);
    }
    return total;
}

static const Position START = {0x0000000810000000u, 0x0000001008000000u};

extern "C" int64_t perft(int depth) { return leaves(START, depth); }

struct Othello {
    using Position = ::Position;
    static Position opening(Word) { return START; }

    static int outcome(Position p) {
        if (mobility(p.own, p.enemy) || mobility(p.enemy, p.own)) return ONGOING;
        int margin = int(_mm_popcnt_u64(p.own)) - int(_mm_popcnt_u64(p.enemy));
        return margin > 0 ? WIN : margin < 0 ? LOSS : DRAW;
    }

    static Position next_ply(Position p, Word random) {
        Word moves = mobility(p.own, p.enemy);
        if (!moves) return {p.enemy, p.own};
        return play(p, _tzcnt_u64(_pdep_u64(Word(1) << below(random, _mm_popcnt_u64(moves)), moves)));
    }
};

extern "C" void random_games(Word seed, Word first, int64_t count, GameTotals *totals) {
    play_many<Othello>(seed, first, count, totals);
}
