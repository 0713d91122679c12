// The search of starscout/search/negascout.py for EWN with the evaluation `distance`: Star1 or Star2, the table at
// chance nodes, rolls merged, moves ordered, no scouting; the same arithmetic, so the same values and node counts.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>
#include "ewn.cpp"

typedef int64_t Value;
static const Value ONE = Value(1) << 44, LOWEST = -2 * ONE;
static const int MOST_MOVES = 6, NO_CUTS = -1, MOVE_BITS = 3, MOVE_MASK = 7, NO_MOVES = (1 << 18) - 1;
static const Word VALUE_MASK = (Word(1) << 46) - 1, SPREAD = 0x9E3779B97F4A7C15u, OWN_MASK = (Word(1) << 30) - 1;

struct Row {
    int count, next, best_index;
    Value best, least;
    int move[MOST_MOVES], order[MOST_MOVES];
};

struct Search {
    int probes, store_depth;
    Word age = 0;
    int64_t nodes = 0;
    Value distance_value[11];
    int near[32];
    Row rows[64][6];
    int64_t history[2][4096];
    std::vector<Word> memory;
    Word *table, slots;

    Search(int probes, int store_depth, int bits, double offset, double slope)
        : probes(probes), store_depth(store_depth), memory((size_t(8) << bits) + 8, ALL), slots(Word(1) << bits) {
        table = (Word *)((uintptr_t(memory.data()) + 63) & ~uintptr_t(63));
        memset(history, 0, sizeof history);
        for (int square = 0; square < 32; square++)
            near[square] = square < 25 ? std::max(4 - square / 5, 4 - square % 5) : 5;
        for (int score = -5; score <= 5; score++)
            distance_value[score + 5] = llround(std::tanh((offset + slope * score) / 2.0) * double(ONE));
    }

    int least_distance(Word side) const {
        int result = near[side & 31];
        for (int cube = 1; cube < CUBES; cube++) side >>= BITS, result = std::min(result, near[side & 31]);
        return result;
    }

    Value evaluate(Position p) const { return distance_value[5 + least_distance(p.enemy) - least_distance(p.own)]; }

    void arrange(Position p, int mover, Row &row, int hint) {
        int64_t entries[MOST_MOVES];
        for (int index = 0; index < row.count; index++) {
            Word target = row.move[index] >> 6;
            int64_t rank = target == GOAL ? 1000 : 100 - near[target] + (lanes_with(p.enemy, GOAL - target) ? 500 : 0);
            rank = rank * (1 << 20) + history[mover][row.move[index]];
            if (index == hint) rank = int64_t(1) << 30;
            int64_t entry = rank * 1024 + 1023 - index;
            int place = index;
            for (; place > 0 && entries[place - 1] < entry; place--) entries[place] = entries[place - 1];
            entries[place] = entry;
        }
        for (int index = 0; index < row.count; index++) row.order[index] = 1023 - (entries[index] & 1023);
    }

    bool probe(const Word *slot, Word key, int depth, Value &lower, Value &upper, int &hints) const {
        int found = -1;
        for (const Word *entry = slot; entry < slot + 8; entry += 4) {
            Word data = entry[2] ^ entry[3];
            if ((entry[0] ^ data) == key && (entry[1] ^ data) == 0 && found != depth) {
                found = entry[2] >> 46 & 127;
                lower = Value(entry[2] & VALUE_MASK) - ONE;
                upper = Value(entry[3] & VALUE_MASK) - ONE;
                hints = entry[3] >> 46;
            }
        }
        return found == depth;
    }

    void store(Word *slot, Word key, int depth, Value lower, Value upper, int hints) {
        Word *at = slot + 4;
        for (Word *entry = slot; entry < slot + 8; entry += 4) {
            Word data = entry[2] ^ entry[3], stored = entry[2] >> 46 & 127;
            if ((entry[0] ^ data) == key && (entry[1] ^ data) == 0 && int(stored) == depth) {
                lower = std::max(lower, Value(entry[2] & VALUE_MASK) - ONE);
                upper = std::min(upper, Value(entry[3] & VALUE_MASK) - ONE);
                at = entry;
                break;
            }
            if (entry == slot && (entry[2] >> 53 != age || int(stored) <= depth)) {
                at = slot;
                break;
            }
        }
        Word low = Word(lower + ONE) | Word(depth) << 46 | age << 53, high = Word(upper + ONE) | Word(hints) << 46;
        at[0] = key ^ low ^ high, at[1] = low ^ high, at[2] = low, at[3] = high;
    }

    static Value floor_divide(Value number, Value by) { return number / by - (number % by < 0); }

    Value search(Position p, int mover, int depth, Value alpha, Value beta) {
        nodes++;
        bool storing = depth >= store_depth;
        Word key = 0, *slot = nullptr;
        int hints = NO_MOVES;
        if (storing) {
            key = (p.own & OWN_MASK) | p.enemy << 30;
            slot = table + 8 * (mix(key) & (slots - 1));
            Value lower, upper;
            if (probe(slot, key, depth, lower, upper, hints)) {
                if (lower >= beta || lower == upper) return lower;
                if (upper <= alpha) return upper;
                alpha = std::max(alpha, lower), beta = std::min(beta, upper);
            }
        }
        Word left = alive(p.own);
        int count = TABLES.group_count[left];
        bool cutting = probes != NO_CUTS || count == 1, ordered = depth > 1;
        int first_stage = probes > 0 && count > 1 ? 0 : 1;
        Value least_rest = -6 * ONE, settled = 0, value = 0, node_lower = -ONE, node_upper = ONE;
        for (int stage = first_stage; stage < 2; stage++) {
            Value most_rest = 6 * ONE;
            for (int index = 0; index < count; index++) {
                Row &row = rows[depth][index];
                int roll = TABLES.group_roll[left][index];
                Value weight = TABLES.group_weight[left][index];
                if (stage == first_stage) {
                    row.count = 0;
                    for (Word shift : {TABLES.lower[left][roll], TABLES.higher[left][roll]}) {
                        Word square = square_at(p.own, shift);
                        for (int step = 0; step < TABLES.step_count[square]; step++)
                            row.move[row.count++] = TABLES.step_target[square][step] << 6 | shift;
                    }
                    row.best = LOWEST, row.least = -ONE, row.next = 0, row.best_index = MOVE_MASK;
                    if (ordered) arrange(p, mover, row, hints >> index * MOVE_BITS & MOVE_MASK);
                }
                least_rest -= weight * row.least;
                most_rest = stage == 0 ? ONE * (6 - weight) : most_rest - ONE * weight;
                Value low = -ONE, high = ONE;
                if (count == 1) {
                    low = alpha, high = beta;
                } else if (cutting) {
                    low = 6 * alpha + 5 - settled - most_rest, high = 6 * beta - settled - least_rest;
                    if (weight > 1) low = floor_divide(low, weight), high = -floor_divide(-high, weight);
                    low = std::max(low, -ONE), high = std::min(high, ONE);
                }
                int end = stage == 0 ? std::min(probes, row.count) : row.count, next = row.next;
                Value best = row.best;
                while (next < end && best < high) {
                    int chosen = ordered ? row.order[next] : next, move = row.move[chosen];
                    Position child = play(p, move & 63, move >> 6);
                    Value result;
                    if (lost(child)) nodes++, result = ONE;
                    else if (depth == 1) nodes++, result = -evaluate(child);
                    else result = -search(child, 1 - mover, depth - 1, -high, -std::max(best, low));
                    next++;
                    if (result > best) {
                        best = result, row.best_index = chosen;
                        if (result >= high && depth > 1)
                            history[mover][move] = std::min<int64_t>(history[mover][move] + depth * depth, (1 << 20) - 1);
                    }
                }
                row.next = next, row.best = best;
                if (stage == 0) {
                    row.least = best > low ? best : -ONE;
                    least_rest += weight * row.least;
                    if (least_rest < 6 * beta) continue;
                    value = node_lower = floor_divide(least_rest, 6);
                    goto done;
                }
                if (row.best_index < MOVE_MASK)
                    hints = (hints & ~(MOVE_MASK << index * MOVE_BITS)) | row.best_index << index * MOVE_BITS;
                settled += weight * best;
                if (cutting && settled + least_rest >= 6 * beta) {
                    value = node_lower = floor_divide(settled + least_rest, 6);
                    goto done;
                }
                if (cutting && settled + most_rest < 6 * (alpha + 1)) {
                    value = node_upper = floor_divide(settled + most_rest, 6);
                    goto done;
                }
            }
        }
        value = node_lower = node_upper = floor_divide(settled, 6);
    done:
        if (storing) store(slot, key, depth, node_lower, node_upper, hints);
        return value;
    }
};

// Deepens from 1 to `depth` plies on the position, with full windows; returns the nodes and the last value.
extern "C" int64_t search_nodes(Word own, Word enemy, int depth, int probes, int store_depth, int bits, double offset,
                                double slope, Value *value) {
    Search search(probes, store_depth, bits, offset, slope);
    for (int plies = 1; plies <= depth; plies++) *value = search.search({own, enemy}, 0, plies, -ONE, ONE);
    return search.nodes;
}
