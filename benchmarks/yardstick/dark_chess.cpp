// The search of starscout/search/negascout.py for dark chess with the evaluation `material`: Star0, Star1 or Star2 at
// reveals, the table at chance nodes and decisions, moves ordered, null windows if asked; the same arithmetic and the
// same bit masks, so the same values and node counts.
#include <algorithm>
#include <cstring>
#include <immintrin.h>
#include <vector>
#include "random_games.h"

typedef int64_t Value;
typedef uint32_t Mask;
static const Value ONE_VALUE = Value(1) << 44, LOWEST = -2 * ONE_VALUE;
static const int KINDS = 7, FILES = 8, SQUARES = 32, QUIET_LIMIT = 30, NOT_PENDING = -1, FAR_AWAY = 11, UNIT = 16;
static const int NO_CUTS = -1, MOST_MOVES = 96, MOST_EVENTS = 14, NO_MOVES = (1 << 18) - 1, ONGOING_GAME = 9;
static const Word SPREAD = 0x9E3779B97F4A7C15u, ROLL_SPREAD = 0xD6E8FEB86659FD93u, ALL = ~Word(0);
static const Word VALUE_MASK = (Word(1) << 46) - 1, PAIR = 0x100000001u;
static const Mask NOT_A = 0xFEFEFEFE, NOT_H = 0x7F7F7F7F;
enum Kind { GENERAL, ADVISOR, ELEPHANT, CHARIOT, HORSE, CANNON, SOLDIER };
static const int PIECE_VALUES[KINDS] = {6 * UNIT, 5 * UNIT, 3 * UNIT, 2 * UNIT, UNIT * 3 / 2, 4 * UNIT, UNIT};

struct Position {
    Word revealed, kinds, rest, pool;
    int64_t quiet, pending, colours, mover;

    int colour() const { return int(colours == 2 ? 1 - mover : mover); }
    Mask hidden() const { return Mask(rest >> 32); }
    Mask pieces(int colour) const { return Mask(colour ? revealed >> 32 : revealed); }
    int kind(int square) const {
        return int((kinds >> square & 1) | (kinds >> (square + 32) & 1) << 1 | (rest >> square & 1) << 2);
    }
};

static struct Tables {
    uint8_t rank_jumps[8][256], file_jumps[4][16];
    int distance[SQUARES][SQUARES];
    bool captures[KINDS][KINDS];

    Tables() {
        fill(&rank_jumps[0][0], 8);
        fill(&file_jumps[0][0], 4);
        for (int one = 0; one < SQUARES; one++)
            for (int other = 0; other < SQUARES; other++)
                distance[one][other] = std::abs(one % 8 - other % 8) + std::abs(one / 8 - other / 8);
        for (int hunter = 0; hunter < KINDS; hunter++)
            for (int victim = 0; victim < KINDS; victim++)
                captures[hunter][victim] =
                    (hunter == SOLDIER && victim == GENERAL) ||
                    (hunter != CANNON && hunter <= victim && !(hunter == GENERAL && victim == SOLDIER));
    }

    static void fill(uint8_t *table, int length) {
        for (int place = 0; place < length; place++)
            for (int occupied = 0; occupied < 1 << length; occupied++) {
                uint8_t found = 0;
                for (int step : {1, -1}) {
                    int met = 0;
                    for (int other = place + step; other >= 0 && other < length; other += step)
                        if (occupied >> other & 1 && ++met == 2) found |= 1 << other;
                }
                table[place << length | occupied] = found;
            }
    }
} TABLES;

static inline Mask jump_targets(Mask occupied, int square) {
    int rank = square >> 3, file = square & 7;
    Mask column = 0x01010101u << file;
    return Mask(TABLES.rank_jumps[file][occupied >> 8 * rank & 0xFF]) << 8 * rank |
           _pdep_u32(TABLES.file_jumps[rank][_pext_u32(occupied, column)], column);
}

static inline Mask spread_out(Mask squares) {
    return (squares << 1 & NOT_A) | (squares >> 1 & NOT_H) | squares << 8 | squares >> 8;
}

// Two directions at a time, as in starscout/games/dark_chess/board.py: right and up in the lower half of a word.
static inline Word twice(Mask mask) { return mask * PAIR; }
static inline Word beside(Word both) { return (both >> 1 & NOT_H) | (both << 1 & Word(NOT_A) << 32); }
static inline Word above_and_below(Word both) {
    return (both >> 8 & 0x00FFFFFFu) | (both << 8 & Word(0xFFFFFF00u) << 32);
}

static inline Word takes(Word own0, Word own1, Word own2, Word other0, Word other1, Word other2) {
    Word lower0 = own0 & ~other0, lower1 = own1 & ~other1;
    Word lower = (own2 & ~other2) | (~(own2 ^ other2) & (lower1 | (~(own1 ^ other1) & lower0)));
    Word general = ~(own0 | own1 | own2), soldier = own1 & own2;
    Word other_general = ~(other0 | other1 | other2), other_soldier = other1 & other2;
    return ((~lower & ~(general & other_soldier)) | (soldier & other_general)) & ~(own2 & own0);
}

static inline void steps(const Position &p, Mask own, Mask enemy, Mask empty, Word &sideways, Word &upright) {
    Word bit0 = twice(Mask(p.kinds)), bit1 = twice(Mask(p.kinds >> 32)), bit2 = twice(Mask(p.rest));
    Word mine = twice(own), theirs = twice(enemy), free = twice(empty);
    Word taken = takes(bit0, bit1, bit2, beside(bit0), beside(bit1), beside(bit2));
    sideways = mine & (beside(free) | (beside(theirs) & taken));
    taken = takes(bit0, bit1, bit2, above_and_below(bit0), above_and_below(bit1), above_and_below(bit2));
    upright = mine & (above_and_below(free) | (above_and_below(theirs) & taken));
}

static inline Mask cannons_of(const Position &p, Mask own) { return own & Mask(p.kinds) & Mask(p.rest); }

static bool can_capture(const Position &p, int colour) {
    Mask own = p.pieces(colour), enemy = p.pieces(1 - colour), occupied = own | enemy | p.hidden();
    Word sideways, upright;
    steps(p, own, enemy, 0, sideways, upright);
    if (sideways | upright) return true;
    for (Mask cannons = cannons_of(p, own); cannons; cannons &= cannons - 1)
        if (jump_targets(occupied, __builtin_ctz(cannons)) & enemy) return true;
    return false;
}

static inline bool can_move(const Position &p, int colour) {
    Mask empty = ~(Mask(p.revealed) | Mask(p.revealed >> 32) | p.hidden());
    return (spread_out(p.pieces(colour)) & empty) || can_capture(p, colour);
}

// -1, 0 or 1 for the mover, or ONGOING_GAME.
static inline int outcome(const Position &p) {
    if (p.quiet >= QUIET_LIMIT) return 0;
    if (p.hidden() || p.pending != NOT_PENDING) return ONGOING_GAME;
    if (!can_move(p, 1)) return p.colour() == 0 ? 1 : -1;
    if (!can_move(p, 0)) return p.colour() == 1 ? 1 : -1;
    return ONGOING_GAME;
}

static inline int add_steps(Word movers, int ahead, int back, int64_t *out, int count) {
    for (; movers; movers &= movers - 1) {
        int place = __builtin_ctzll(movers);
        out[count++] = (place & 31) * (SQUARES + 1) + (place < SQUARES ? ahead : back);
    }
    return count;
}

static int list_moves(const Position &p, int64_t *out) {
    int colour = p.colour();
    Mask own = p.pieces(colour), enemy = p.pieces(1 - colour), occupied = own | enemy | p.hidden();
    Word sideways, upright;
    steps(p, own, enemy, ~occupied, sideways, upright);
    int count = add_steps(sideways, 1, -1, out, 0);
    count = add_steps(upright, FILES, -FILES, out, count);
    for (Mask cannons = cannons_of(p, own); cannons; cannons &= cannons - 1) {
        int square = __builtin_ctz(cannons);
        for (Mask targets = jump_targets(occupied, square) & enemy; targets; targets &= targets - 1)
            out[count++] = square * SQUARES + __builtin_ctz(targets);
    }
    for (Mask hidden = p.hidden(); hidden; hidden &= hidden - 1) out[count++] = __builtin_ctz(hidden) * (SQUARES + 1);
    return count;
}

static inline Position play(const Position &p, int64_t move) {
    int start = int(move / SQUARES), target = int(move % SQUARES);
    if (start == target)
        return {p.revealed, p.kinds, p.rest & ~(Word(1) << (start + 32)), p.pool, p.quiet, start, p.colours,
                1 - p.mover};
    Word to = Word(1) << target, changed = Word(1) << start | to, kept = ~(changed | changed << 32);
    bool captured = ((p.revealed | p.revealed >> 32) & to) != 0;
    return {(p.revealed & kept) | (p.revealed >> start & PAIR) << target,
            (p.kinds & kept) | (p.kinds >> start & PAIR) << target,
            (p.rest & ~changed) | (p.rest >> start & 1) << target,
            p.pool, captured ? 0 : p.quiet + 1, NOT_PENDING, p.colours, 1 - p.mover};
}

// Reveals piece `number` (KINDS · colour + kind) on the pending square.
static inline Position reveal(const Position &p, int number) {
    int colour = number / KINDS, kind = number % KINDS, square = int(p.pending);
    Position next = p;
    next.revealed |= Word(1) << (square + 32 * colour);
    next.kinds |= Word(kind & 1) << square | Word(kind >> 1 & 1) << (square + 32);
    next.rest |= Word(kind >> 2) << square;
    next.pool -= Word(1) << 3 * number;
    if (p.colours == 0) next.colours = 1 - p.mover == colour ? 1 : 2;
    next.pending = NOT_PENDING;
    return next;
}

static int material(const Position &p, int colour) {
    int total = 0;
    for (Mask left = p.pieces(colour); left; left &= left - 1) total += PIECE_VALUES[p.kind(__builtin_ctz(left))];
    Word pool = p.pool >> 21 * colour;
    for (int kind = 0; kind < KINDS; kind++) total += PIECE_VALUES[kind] * int(pool >> 3 * kind & 7);
    return total;
}

static int chase(const Position &p, int colour) {
    int total = 0;
    for (Mask enemies = p.pieces(1 - colour); enemies; enemies &= enemies - 1) {
        int square = __builtin_ctz(enemies), victim = p.kind(square), nearest = FAR_AWAY;
        for (Mask hunters = p.pieces(colour); hunters; hunters &= hunters - 1) {
            int from = __builtin_ctz(hunters);
            if (TABLES.captures[p.kind(from)][victim]) nearest = std::min(nearest, TABLES.distance[from][square]);
        }
        total += FAR_AWAY - nearest;
    }
    return total;
}

struct Row {
    int64_t moves[MOST_MOVES], order[MOST_MOVES];
    int count, next, best_index;
    Value best, least;
};

struct Search {
    const Value *values;
    Value largest;
    int probes, store_depth;
    bool scout;
    int64_t nodes = 0;
    Row rows[32][MOST_EVENTS];
    int64_t history[2][4096];
    std::vector<Word> memory;
    Word *table, slots;

    Search(const Value *values, Value largest, int probes, int store_depth, bool scout, int bits)
        : values(values), largest(largest), probes(probes), store_depth(store_depth), scout(scout),
          memory((size_t(8) << bits) + 8, ALL), slots(Word(1) << bits) {
        table = (Word *)((uintptr_t(memory.data()) + 63) & ~uintptr_t(63));
        memset(history, 0, sizeof history);
    }

    Value evaluate(const Position &p) const {
        if (p.colours == 0) return 0;
        int colour = p.colour(), score = material(p, colour) - material(p, 1 - colour);
        if (score > 0) score += chase(p, colour);
        else if (score < 0) score -= chase(p, 1 - colour);
        return floor_divide(values[score + largest], QUIET_LIMIT) * (QUIET_LIMIT - p.quiet);
    }

    static Value floor_divide(Value number, Value by) { return number / by - (number % by < 0); }

    static void key_of(const Position &p, Word &first, Word &second) {
        first = second = 0;
        for (Word number : {p.revealed, p.kinds, p.rest, p.pool, Word(p.quiet), Word(p.pending), Word(p.colours),
                            Word(p.mover)}) {
            first = mix(first + number);
            second = mix(second ^ mix(first));
        }
    }

    Word *slot_of(Word first, Word second) const { return table + 8 * (mix(first + second * SPREAD) & (slots - 1)); }

    static int probe(const Word *slot, Word first, Word second, int depth, Value &lower, Value &upper, int &best) {
        int found = -1;
        lower = -ONE_VALUE, upper = ONE_VALUE, best = NO_MOVES;
        for (const Word *entry = slot; entry < slot + 8; entry += 4) {
            Word data = entry[2] ^ entry[3];
            if ((entry[0] ^ data) == first && (entry[1] ^ data) == second && found != depth) {
                found = entry[2] >> 46 & 127;
                lower = Value(entry[2] & VALUE_MASK) - ONE_VALUE, upper = Value(entry[3] & VALUE_MASK) - ONE_VALUE;
                best = int(entry[3] >> 46);
            }
        }
        return found;
    }

    static void store(Word *slot, Word first, Word second, int depth, Value lower, Value upper, int best) {
        Word *at = slot + 4;
        for (Word *entry = slot; entry < slot + 8; entry += 4) {
            Word data = entry[2] ^ entry[3], stored = entry[2] >> 46 & 127;
            if ((entry[0] ^ data) == first && (entry[1] ^ data) == second && int(stored) == depth) {
                lower = std::max(lower, Value(entry[2] & VALUE_MASK) - ONE_VALUE);
                upper = std::min(upper, Value(entry[3] & VALUE_MASK) - ONE_VALUE);
                at = entry;
                break;
            }
            if (entry == slot && (entry[2] >> 53 != 0 || int(stored) <= depth)) {
                at = slot;
                break;
            }
        }
        Word low = Word(lower + ONE_VALUE) | Word(depth) << 46, high = Word(upper + ONE_VALUE) | Word(best) << 46;
        at[0] = first ^ low ^ high, at[1] = second ^ low ^ high, at[2] = low, at[3] = high;
    }

    void sort_moves(const Position &p, Row &row, int hint) {
        Word taken = p.revealed | p.revealed >> 32;
        int64_t *ranks = row.order;
        for (int index = 0; index < row.count; index++) {
            int64_t move = row.moves[index], target = move % SQUARES, rank = 0;
            if (move / SQUARES == target) rank = 1;
            else if (taken >> target & 1) rank = 2 + PIECE_VALUES[p.kind(int(target))];
            rank = rank * (1 << 20) + history[p.mover][move];
            if (index == hint) rank = int64_t(1) << 34;
            ranks[index] = rank * (1 << 14) + (1 << 14) - 1 - index;
        }
        if (row.count > 32) {
            std::sort(ranks, ranks + row.count, std::greater<int64_t>());
        } else {
            for (int index = 1; index < row.count; index++) {
                int64_t entry = ranks[index];
                int place = index;
                for (; place > 0 && ranks[place - 1] < entry; place--) ranks[place] = ranks[place - 1];
                ranks[place] = entry;
            }
        }
        for (int index = 0; index < row.count; index++) ranks[index] = (1 << 14) - 1 - (ranks[index] & ((1 << 14) - 1));
    }

    // LAST: the last ply, or a leaf; without the table and without an order.
    template <bool LAST> Value search(const Position &p, int depth, Value alpha, Value beta) {
        if (!LAST && (depth == 0 || (depth == 1 && store_depth > 1))) return search<true>(p, depth, alpha, beta);
        nodes++;
        if (LAST && depth == 0) return evaluate(p);
        bool storing = !LAST && depth >= store_depth;
        Word first = 0, second = 0, *slot = nullptr;
        if (storing) {
            key_of(p, first, second);
            slot = slot_of(first, second);
            Value lower, upper;
            int hints;
            if (probe(slot, first, second, depth, lower, upper, hints) == depth) {
                if (lower >= beta || lower == upper) return lower;
                if (upper <= alpha) return upper;
                alpha = std::max(alpha, lower), beta = std::min(beta, upper);
            }
        }
        int numbers[MOST_EVENTS], weights[MOST_EVENTS], count = 0;
        Value total = 0;
        if (p.pending != NOT_PENDING)
            for (int number = 0; number < 2 * KINDS; number++)
                if (int weight = p.pool >> 3 * number & 7)
                    numbers[count] = number, weights[count++] = weight, total += weight;
        bool chance = count > 0;
        if (!chance) numbers[0] = -1, weights[0] = 1, count = 1, total = 1;
        bool probing = probes > 0 && count > 1, cutting = probes != NO_CUTS || count == 1;
        bool ordered = !LAST && depth > 1, scouting = scout && depth > 1;
        Value settled = 0, least_rest = -ONE_VALUE * total, most_left = ONE_VALUE * total;
        Value value = 0, node_lower = -ONE_VALUE, node_upper = ONE_VALUE;
        for (int visit = probing ? 0 : count; visit < 2 * count; visit++) {
            bool is_probe = visit < count, is_first = is_probe || !probing;
            int index = is_probe ? visit : visit - count;
            Row &row = rows[depth][index];
            Value weight = weights[index];
            int event = numbers[index] + 1;
            Position decision = chance ? reveal(p, numbers[index]) : p;
            if (is_first) {
                row.best = LOWEST, row.least = -ONE_VALUE, row.next = 0, row.best_index = NO_MOVES, row.count = 0;
                int result = outcome(decision);
                if (result != ONGOING_GAME) nodes++, row.best = result * ONE_VALUE;
                else row.count = list_moves(decision, row.moves);
            }
            int available = row.count, next = row.next;
            Value best = row.best;
            least_rest -= weight * row.least;
            if (!is_probe) most_left -= ONE_VALUE * weight;
            Value most_rest = is_probe ? ONE_VALUE * (total - weight) : most_left, low = -ONE_VALUE, high = ONE_VALUE;
            if (count == 1) {
                low = alpha, high = beta;
            } else if (cutting) {
                low = total * alpha + (total - 1) - settled - most_rest, high = total * beta - settled - least_rest;
                if (weight > 1) low = floor_divide(low, weight), high = -floor_divide(-high, weight);
                low = std::max(low, -ONE_VALUE), high = std::min(high, ONE_VALUE);
            }
            Word decision_key = 0, *decision_slot = nullptr;
            int hint = NO_MOVES;
            bool searched = true;
            if (storing && available > 0) {
                decision_key = second ^ Word(event) * ROLL_SPREAD;
                decision_slot = slot_of(first, decision_key);
                if (is_first) {
                    Value lower, upper;
                    int found = probe(decision_slot, first, decision_key, depth, lower, upper, hint);
                    if (found == depth && (lower >= high || upper <= low || lower == upper))
                        best = lower >= high ? lower : upper, next = available;
                }
                searched = next < available;
            }
            if (is_first && ordered && next < available) sort_moves(decision, row, hint);
            int end = is_probe ? std::min(probes, available) : available;
            while (next < end && best < high) {
                int chosen = ordered ? int(row.order[next]) : next;
                int64_t move = row.moves[chosen];
                Position child = play(decision, move);
                int result = outcome(child);
                Value found;
                if (result != ONGOING_GAME) {
                    nodes++, found = -result * ONE_VALUE;
                } else if (LAST) {
                    nodes++, found = -evaluate(child);
                } else {
                    Value floor = std::max(best, low);
                    Value ceiling = scouting && next > 0 && floor + 1 < high ? floor + 1 : high;
                    while (true) {
                        found = -search<false>(child, depth - 1, -ceiling, -floor);
                        if (found < ceiling || found >= high) break;
                        floor = found - 1, ceiling = high;
                    }
                }
                next++;
                if (found > best) {
                    best = found, row.best_index = chosen;
                    if (found >= high && !LAST && depth > 1) {
                        int64_t &reward = history[decision.mover][move];
                        reward = std::min<int64_t>(reward + depth * depth, (1 << 20) - 1);
                    }
                }
            }
            row.next = next, row.best = best;
            if (is_probe) {
                row.least = available == 0 || best > low ? best : -ONE_VALUE;
                least_rest += weight * row.least;
                if (least_rest < total * beta) continue;
                value = node_lower = floor_divide(least_rest, total);
                break;
            }
            if (storing && searched && available > 0)
                store(decision_slot, first, decision_key, depth, best > low ? best : -ONE_VALUE,
                      best < high ? best : ONE_VALUE, row.best_index);
            settled += weight * best;
            if (cutting && settled + least_rest >= total * beta) {
                value = node_lower = floor_divide(settled + least_rest, total);
                break;
            }
            if (cutting && settled + most_rest < total * (alpha + 1)) {
                value = node_upper = floor_divide(settled + most_rest, total);
                break;
            }
            if (visit == 2 * count - 1) value = node_lower = node_upper = floor_divide(settled, total);
        }
        if (storing) store(slot, first, second, depth, node_lower, node_upper, NO_MOVES);
        return value;
    }
};

// Deepens from 1 to `depth` plies on the position, with full windows; returns the nodes and the last value.
extern "C" int64_t search_nodes(const Word *words, const int64_t *numbers, int depth, int probes, int store_depth,
                                int scout, int bits, const Value *values, Value largest, Value *value) {
    Search *search = new Search(values, largest, probes, store_depth, scout != 0, bits);
    Position p = {words[0], words[1], words[2], words[3], numbers[0], numbers[1], numbers[2], numbers[3]};
    for (int plies = 1; plies <= depth; plies++) *value = search->search<false>(p, plies, -ONE_VALUE, ONE_VALUE);
    int64_t nodes = search->nodes;
    delete search;
    return nodes;
}
