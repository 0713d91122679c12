// EinStein würfelt nicht! as starscout/games/ewn/rules.py plays it: the same words, tables and random numbers, for
// g++ -O3 -march=native. A side is one word, five bits a cube, its squares seen from its own corner; 31 = gone.
#include <immintrin.h>
#include <initializer_list>
#include "random_games.h"

static const int CUBES = 6, BITS = 5, GOAL = 24, GONE = 31;
static const Word ONES = 0x02108421u, TOPS = ONES << 4, REST = ONES * 15, ALL = ~Word(0);

struct Position {
    Word own, enemy;
};

struct Tables {
    uint8_t lower[64][CUBES + 1], higher[64][CUBES + 1];
    uint8_t group_count[64], group_roll[64][CUBES], group_weight[64][CUBES];
    uint8_t step_count[32], step_target[32][3];

    Tables() : step_count{}, step_target{} {
        for (int left = 0; left < 64; left++) {
            int groups = 0;
            for (int roll = 1; roll <= CUBES; roll++) {
                int low = roll - 1, high = roll - 1;
                while (low >= 0 && !(left >> low & 1)) low--;
                while (high < CUBES && !(left >> high & 1)) high++;
                int first = low >= 0 ? low : high, second = low >= 0 && high != low ? high : CUBES;
                lower[left][roll] = BITS * first;
                higher[left][roll] = BITS * second;
                int group = 0;
                while (group < groups && (lower[left][group_roll[left][group]] != BITS * first ||
                                          higher[left][group_roll[left][group]] != BITS * second))
                    group++;
                if (group == groups) {
                    group_roll[left][groups] = roll;
                    group_weight[left][groups++] = 0;
                }
                group_weight[left][group]++;
            }
            group_count[left] = groups;
        }
        for (int square = 0; square < 25; square++) {
            if (square % 5 < 4) step_target[square][step_count[square]++] = square + 1;
            if (square / 5 < 4) step_target[square][step_count[square]++] = square + 5;
            if (square % 5 < 4 && square / 5 < 4) step_target[square][step_count[square]++] = square + 6;
        }
    }
};
static const Tables TABLES;

static inline Word lanes_with(Word side, Word square) {
    Word different = side ^ (square * ONES);
    return ~(((different & REST) + REST) | different) & TOPS;
}

static inline Word capture(Word side, Word square) {
    Word top = lanes_with(side, square);
    return side | ((top << 1) - (top >> 4));
}

static inline Word alive(Word side) { return _pext_u64(~lanes_with(side, GONE), TOPS); }

static inline Word square_at(Word side, Word shift) { return (side >> shift) & GONE; }

static inline Position play(Position p, Word shift, Word target) {
    Word own = (capture(p.own, target) & ~(Word(GONE) << shift)) | (target << shift);
    return {capture(p.enemy, GOAL - target), own};
}

static inline bool lost(Position p) { return p.own == ALL || lanes_with(p.enemy, GOAL); }

static inline int64_t last_ply(Position p) {
    if (lost(p)) return 1;
    int64_t total = 0;
    Word left = alive(p.own);
    for (int group = 0; group < TABLES.group_count[left]; group++) {
        int roll = TABLES.group_roll[left][group];
        Word first = square_at(p.own, TABLES.lower[left][roll]), second = square_at(p.own, TABLES.higher[left][roll]);
        total += TABLES.group_weight[left][group] * (TABLES.step_count[first] + TABLES.step_count[second]);
    }
    return total;
}

static int64_t leaves(Position p, int depth) {
    if (depth == 0 || lost(p)) return 1;
    if (depth == 1) return last_ply(p);
    int64_t total = 0;
    Word left = alive(p.own);
    for (int group = 0; group < TABLES.group_count[left]; group++) {
        int roll = TABLES.group_roll[left][group];
        int64_t below = 0;
        for (Word shift : {TABLES.lower[left][roll], TABLES.higher[left][roll]}) {
            Word square = square_at(p.own, shift);
            for (int step = 0; step < TABLES.step_count[square]; step++) {
                Position following = play(p, shift, TABLES.step_target[square][step]);
                below += depth == 2 ? last_ply(following) : leaves(following, depth - 1);
            }
        }
        total += TABLES.group_weight[left][group] * below;
    }
    return total;
}

struct Starts {
    Word side[720];

    // Permutation number `code` of the cubes; the other side is its point reflection.
    Starts() {
        for (int number = 0; number < 720; number++) {
            Word places[CUBES] = {0, 1, 2, 5, 6, 10};
            side[number] = ALL;
            int code = number;
            for (int cube = 0; cube < CUBES; cube++) {
                int left = CUBES - cube, chosen = code % left;
                code /= left;
                side[number] &= ~((GONE ^ places[chosen]) << BITS * cube);
                for (int index = chosen; index < left - 1; index++) places[index] = places[index + 1];
            }
        }
    }
};
static const Starts STARTS;

extern "C" int64_t perft(int depth) { return leaves({STARTS.side[0], STARTS.side[0]}, depth); }

struct Ewn {
    using Position = ::Position;

    static Position opening(Word seed) {
        Word side = STARTS.side[random_word(seed, ALL) % 720];
        return {side, side};
    }

    static int outcome(Position p) { return lost(p) ? LOSS : ONGOING; }

    static Position next_ply(Position p, Word random) {
        Word roll = 1 + below(random << 32, CUBES), left = alive(p.own);
        Word shift = TABLES.lower[left][roll], other = TABLES.higher[left][roll];
        Word square = square_at(p.own, shift), other_square = square_at(p.own, other);
        Word steps = TABLES.step_count[square];
        Word step = below(random, steps + TABLES.step_count[other_square]);
        bool second = step >= steps;
        step = second ? step - steps : step;
        shift = second ? other : shift;
        square = second ? other_square : square;
        return play(p, shift, TABLES.step_target[square][step]);
    }
};

extern "C" void random_games(Word seed, Word first, int64_t count, GameTotals *totals) {
    play_many<Ewn>(seed, first, count, totals);
}
