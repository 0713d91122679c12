// The Othello solver of starscout/games/othello/solver_search.py for 8×8 and one thread: the same routines for the
// last four squares, stable discs, order of moves, learned patterns, table and windows, so the same values and node
// counts.
#include <algorithm>
#include <vector>
#include "othello.cpp"
#include "patterns.h"

static const int LAST = 4, SORTED = 7, STORED = 8, ENHANCED = 10, EVALUATED = 13;
static const int NO_MOVE = -128, NO_SQUARE = (1 << 18) - 1;
static const Word CORNERS = 0x8100000000000081u, NOT_FIRST = 0xFEFEFEFEFEFEFEFEu, NOT_LAST = 0x7F7F7F7F7F7F7F7Fu;
static const Word ROWS_END = 0x8181818181818181u, COLUMNS_END = 0xFF000000000000FFu, BORDER = ROWS_END | COLUMNS_END;
static const Word QUARTERS[4] = {0x0F0F0F0Fu, 0xF0F0F0F0u, Word(0x0F0F0F0F) << 32, Word(0xF0F0F0F0) << 32};
static const Lanes ABOVE = {NOT_FIRST, ALL, NOT_LAST, NOT_FIRST}, BELOW = {NOT_LAST, ALL, NOT_FIRST, NOT_LAST};
static const Lanes NO_LINE_END = {~ROWS_END, ~COLUMNS_END, ~BORDER, ~BORDER};

static inline int count(Word word) { return _mm_popcnt_u64(word); }
static inline int lowest(Word word) { return _tzcnt_u64(word); }
static inline Word bit(int square) { return Word(1) << square; }
static inline Word beside(Word discs) {
    Word wide = discs | ((discs << 1) & NOT_FIRST) | ((discs >> 1) & NOT_LAST);
    return wide | (wide << 8) | (wide >> 8);
}

struct SquareTables {
    Word line[64][4], near[64];
    uint8_t place[64][4], between[8][256];
    int rank[64];

    SquareTables() : line{}, between{} {
        const int down[4] = {0, 1, 1, 1}, right[4] = {1, 0, -1, 1};
        for (int square = 0; square < 64; square++) {
            int row = square / 8, column = square % 8;
            near[square] = beside(bit(square)) & ~bit(square);
            for (int direction = 0; direction < 4; direction++)
                for (int n = -7; n < 8; n++) {
                    int r = row + n * down[direction], c = column + n * right[direction];
                    if (n == 0) place[square][direction] = count(line[square][direction]);
                    if (r >= 0 && r < 8 && c >= 0 && c < 8) line[square][direction] |= bit(8 * r + c);
                }
            int a = std::min(row, 7 - row), b = std::min(column, 7 - column);
            int least = std::min(a, b), most = std::max(a, b);
            rank[square] = least == 0 ? (most == 0 ? 18 : most == 1 ? 4 : 8) : most == 1 ? 0 : 6;
        }
        for (int at = 0; at < 8; at++)
            for (int own = 0; own < 256; own++)
                for (int way = -1; way < 2; way += 2) {
                    int end = at + way;
                    while (end >= 0 && end < 8 && !(own >> end & 1)) end += way;
                    if (end >= 0 && end < 8) between[at][own] += std::abs(end - at) - 1;
                }
    }
};
static const SquareTables SQUARES;

static inline int final_difference(Word own, Word enemy) {
    int mine = count(own), theirs = count(enemy);
    return mine > theirs ? 64 - 2 * theirs : mine < theirs ? 2 * mine - 64 : 0;
}

static inline Word odd_regions(Word empty) {
    Word odd = 0;
    for (Word quarter : QUARTERS) odd |= count(empty & quarter) & 1 ? quarter : 0;
    return odd;
}

static Word stable(Word side, Word other) {
    Lanes up = spread(~(side | other)), down = up, free_up = ABOVE, free_down = BELOW, step = STEP;
    for (int doubling = 0; doubling < 3; doubling++) {
        up |= free_up & (up << step), down |= free_down & (down >> step);
        free_up &= free_up << step, free_down &= free_down >> step;
        step += step;
    }
    Lanes exposed = (up | down) & NO_LINE_END;
    Word found = side & ~join(exposed), before = 0;
    while (found != before) {
        before = found;
        Lanes discs = spread(found), next = ((discs << STEP) & ABOVE) | ((discs >> STEP) & BELOW);
        found = side & ~join(exposed & ~next);
    }
    return found;
}

static inline int turned_by_last(Word own, int square) {
    int discs = 0;
    for (int direction = 0; direction < 4; direction++)
        discs += SQUARES.between[SQUARES.place[square][direction]][_pext_u64(own, SQUARES.line[square][direction])];
    return discs;
}

static inline int one(Word own, int square) {
    int mine = count(own), discs = turned_by_last(own, square);
    if (discs > 0) return 2 * (mine + discs + 1) - 64;
    discs = turned_by_last(~own & ~bit(square), square);
    if (discs > 0) return 2 * (mine - discs) - 64;
    return 2 * mine >= 64 ? 2 * mine - 62 : 2 * mine - 64;
}

static int moves_with_two(Word own, Word enemy, int beta, int first, int second) {
    int best = NO_MOVE;
    Word discs;
    if (SQUARES.near[first] & enemy && (discs = turned(bit(first), own, enemy))) {
        best = -one(enemy ^ discs, second);
        if (best >= beta) return best;
    }
    if (SQUARES.near[second] & enemy && (discs = turned(bit(second), own, enemy)))
        best = std::max(best, -one(enemy ^ discs, first));
    return best;
}

static inline int two(Word own, Word enemy, int alpha, int beta, int first, int second) {
    int best = moves_with_two(own, enemy, beta, first, second);
    if (best != NO_MOVE) return best;
    best = moves_with_two(enemy, own, -alpha, first, second);
    return best != NO_MOVE ? -best : final_difference(own, enemy);
}

static int moves_with_three(Word own, Word enemy, int alpha, int beta, int first, int second, int third) {
    int best = NO_MOVE;
    const int order[3][3] = {{first, second, third}, {second, first, third}, {third, first, second}};
    for (auto &squares : order) {
        Word disc = bit(squares[0]), discs;
        if (!(SQUARES.near[squares[0]] & enemy) || !(discs = turned(disc, own, enemy))) continue;
        best = std::max(best, -two(enemy ^ discs, own | disc | discs, -beta, -alpha, squares[1], squares[2]));
        if (best >= beta) return best;
        alpha = std::max(alpha, best);
    }
    return best;
}

static inline int three(Word own, Word enemy, int alpha, int beta, Word empty) {
    Word alone = empty & odd_regions(empty);
    int first = lowest(alone ? alone : empty);
    Word rest = empty & ~bit(first);
    int second = lowest(rest), third = lowest(rest & (rest - 1));
    int best = moves_with_three(own, enemy, alpha, beta, first, second, third);
    if (best != NO_MOVE) return best;
    best = moves_with_three(enemy, own, -beta, -alpha, first, second, third);
    return best != NO_MOVE ? -best : final_difference(own, enemy);
}

static int moves_with_four(Word own, Word enemy, int alpha, int beta, Word empty) {
    int best = NO_MOVE;
    Word odd = odd_regions(empty), left = empty & odd, later = empty & ~odd;
    for (int n = 0; n < 4; n++) {
        if (!left) left = later, later = 0;
        int square = lowest(left);
        Word disc = bit(square), discs;
        left &= left - 1;
        if (!(SQUARES.near[square] & enemy) || !(discs = turned(disc, own, enemy))) continue;
        int value = -three(enemy ^ discs, own | disc | discs, -beta, -alpha, empty ^ disc);
        if (value >= beta) return value;
        best = std::max(best, value), alpha = std::max(alpha, value);
    }
    return best;
}

static inline int four(Word own, Word enemy, int alpha, int beta, Word empty) {
    int best = moves_with_four(own, enemy, alpha, beta, empty);
    if (best != NO_MOVE) return best;
    best = moves_with_four(enemy, own, -beta, -alpha, empty);
    return best != NO_MOVE ? -best : final_difference(own, enemy);
}

static inline Word reversed_columns(Word word) {
    word = ((word >> 1) & 0x5555555555555555u) | ((word & 0x5555555555555555u) << 1);
    word = ((word >> 2) & 0x3333333333333333u) | ((word & 0x3333333333333333u) << 2);
    return ((word >> 4) & 0x0F0F0F0F0F0F0F0Fu) | ((word & 0x0F0F0F0F0F0F0F0Fu) << 4);
}

static inline Word transposed(Word word) {
    Word changed = (word ^ (word >> 7)) & 0x00AA00AA00AA00AAu;
    word ^= changed ^ (changed << 7);
    changed = (word ^ (word >> 14)) & 0x0000CCCC0000CCCCu;
    word ^= changed ^ (changed << 14);
    changed = (word ^ (word >> 28)) & 0x00000000F0F0F0F0u;
    return word ^ changed ^ (changed << 28);
}

// The learned evaluation. patterns.h, written by the benchmark, has the slots: those of turned board n are the slots
// from ENDS[n] to ENDS[n + 1].
struct Weights {
    const int16_t *rows;
    const int64_t *powers;
    double factor;

    template <int board> int64_t part(Word own, Word enemy, const int16_t *first) const {
        int64_t total = 0;
        for (int slot = ENDS[board]; slot < ENDS[board + 1]; slot++)
            total += first[FIRSTS[slot] + powers[_pext_u64(own, MASKS[slot])]
                           + 2 * powers[_pext_u64(enemy, MASKS[slot])]];
        return total;
    }

    template <int board> int64_t parts(Word own, Word enemy, const int16_t *first) const {
        return part<board>(own, enemy, first) + part<board + 4>(transposed(own), transposed(enemy), first);
    }

    int score(Word own, Word enemy) const {
        const int16_t *first = rows + std::min(std::max(count(own) + count(enemy) - 4, 0) / 4, 14) * PATTERNS;
        Word below = _bswap64(own), enemy_below = _bswap64(enemy);
        int64_t total = parts<0>(own, enemy, first) + parts<1>(below, enemy_below, first);
        total += parts<2>(reversed_columns(own), reversed_columns(enemy), first);
        total += parts<3>(reversed_columns(below), reversed_columns(enemy_below), first);
        return std::min(std::max(int(double(total) * factor), -2048), 2048);
    }
};

struct Entry {
    Word first, second, low, high;  // the key ^ the data; | depth | lower bound |; | best move | upper bound |

    static const int VALUES = 46;
    static const int64_t ONE = int64_t(1) << 44;
    bool holds(Word own, Word enemy) const { return (first ^ low ^ high) == own && (second ^ low ^ high) == enemy; }
    int depth() const { return low >> VALUES & 127; }
    int lower() const { return int64_t(low & ((Word(1) << VALUES) - 1)) - ONE; }
    int upper() const { return int64_t(high & ((Word(1) << VALUES) - 1)) - ONE; }
};

struct Move {
    int rank, square;
    Word turned;
};

struct Solver {
    const Weights *weights;  // null: without the evaluation
    int64_t nodes = 0;
    Move moves[65][34];
    std::vector<Word> memory;
    Entry *table;
    Word slots;

    Solver(const Weights *weights, int bits)
        : weights(weights), memory((size_t(8) << bits) + 8, ALL), slots(Word(1) << bits) {
        table = (Entry *)((uintptr_t(memory.data()) + 63) & ~uintptr_t(63));
    }

    Entry *slot_of(Word own, Word enemy) const {
        return table + 2 * (mix(own + enemy * 0x9E3779B97F4A7C15u) & (slots - 1));
    }

    static const Entry *probe(const Entry *slot, Word own, Word enemy) {
        return slot->holds(own, enemy) ? slot : slot[1].holds(own, enemy) ? slot + 1 : nullptr;
    }

    static void store(Entry *slot, Word own, Word enemy, int depth, int lower, int upper, int best, Word age) {
        Entry *at = slot + 1;
        for (Entry *entry = slot; entry < slot + 2; entry++) {
            if (entry->holds(own, enemy) && entry->depth() == depth) {
                lower = std::max(lower, entry->lower()), upper = std::min(upper, entry->upper());
                at = entry;
                break;
            }
            if (entry == slot && (entry->low >> 53 != age || entry->depth() <= depth)) {
                at = slot;
                break;
            }
        }
        Word low = Word(lower + Entry::ONE) | Word(depth) << Entry::VALUES | age << 53;
        Word high = Word(upper + Entry::ONE) | Word(best) << Entry::VALUES;
        *at = {own ^ low ^ high, enemy ^ low ^ high, low, high};
    }

    int shallow(Word own, Word enemy, int alpha, int beta) {
        nodes++;
        Word empty = ~(own | enemy);
        if (alpha >= 16) {
            int most = 64 - 2 * count(stable(enemy, own));
            if (most <= alpha) return most;
        }
        Word moves = mobility(own, enemy);
        if (!moves) return mobility(enemy, own) ? -shallow(enemy, own, -beta, -alpha) : final_difference(own, enemy);
        int best = -64;
        Word odd = odd_regions(empty), left = moves & odd, later = moves & ~odd;
        bool ending = count(empty) == LAST + 1;
        while (left | later) {
            if (!left) left = later, later = 0;
            Word disc = left & -left, discs = turned(disc, own, enemy);
            left ^= disc;
            int value;
            if (ending) value = -four(enemy ^ discs, own | disc | discs, -beta, -alpha, empty ^ disc), nodes++;
            else value = -shallow(enemy ^ discs, own | disc | discs, -beta, -alpha);
            if (value > best) {
                best = value;
                if (value >= beta) return value;
                alpha = std::max(alpha, value);
            }
        }
        return best;
    }

    int search(Word own, Word enemy, int alpha, int beta) {
        Word empty = ~(own | enemy);
        int empties = count(empty);
        if (empties < SORTED) return shallow(own, enemy, alpha, beta);
        nodes++;
        if (alpha >= 16) {
            int most = 64 - 2 * count(stable(enemy, own));
            if (most <= alpha) return most;
        }
        Word left = mobility(own, enemy);
        if (!left) return mobility(enemy, own) ? -search(enemy, own, -beta, -alpha) : final_difference(own, enemy);
        Entry *slot = nullptr;
        int hint = NO_SQUARE;
        if (empties >= STORED) {
            slot = slot_of(own, enemy);
            if (const Entry *known = probe(slot, own, enemy)) {
                hint = known->high >> Entry::VALUES;
                int lower = known->lower(), upper = known->upper();
                if (lower >= beta || lower == upper) return lower;
                if (upper <= alpha) return upper;
                alpha = std::max(alpha, lower), beta = std::min(beta, upper);
            }
        }
        Word odd = odd_regions(empty);
        Move *row = moves[empties];
        int number = 0;
        for (; left; left &= left - 1, number++) {
            int square = lowest(left), rank = 0;
            Word disc = bit(square), discs = turned(disc, own, enemy);
            Word child_own = enemy ^ discs, child_enemy = own | disc | discs;
            if (empties >= ENHANCED) {
                const Entry *child = probe(slot_of(child_own, child_enemy), child_own, child_enemy);
                if (child && -child->upper() >= beta) return -child->upper();
            }
            if (square == hint) {
                rank = 4096;
            } else {
                Word answers = mobility(child_own, child_enemy);
                rank = 2048 - 16 * (count(answers) + count(answers & CORNERS)) - 4 * count(beside(child_enemy) & empty);
                rank += SQUARES.rank[square];
                if (weights && empties >= EVALUATED) rank -= weights->score(child_own, child_enemy) >> 2;
            }
            if (disc & odd) rank += 4;
            int place = number;
            for (; place > 0 && row[place - 1].rank <= rank; place--) row[place] = row[place - 1];
            row[place] = {rank, square, discs};
        }
        int low = alpha, best = -65, best_square = NO_SQUARE;
        for (int place = 0; place < number && best < beta; place++) {
            int square = row[place].square, floor = std::max(best, alpha), value;
            Word discs = row[place].turned, child_own = enemy ^ discs, child_enemy = own | bit(square) | discs;
            if (place > 0 && floor + 1 < beta) {
                value = -search(child_own, child_enemy, -floor - 1, -floor);
                if (floor < value && value < beta) value = -search(child_own, child_enemy, -beta, -value);
            } else {
                value = -search(child_own, child_enemy, -beta, -floor);
            }
            if (value > best) best = value, best_square = square;
        }
        if (empties >= STORED)
            store(slot, own, enemy, empties, best > low ? best : -64, best < beta ? best : 64, best_square, 0);
        return best;
    }
};

// Solves a position in the window (alpha, beta) with an empty table; returns the nodes and the value.
extern "C" int64_t solve_nodes(Word own, Word enemy, int alpha, int beta, const Weights *weights, int bits,
                               int *value) {
    Solver solver(weights, bits);
    *value = solver.search(own, enemy, alpha, beta);
    return solver.nodes;
}
