// Backgammon at double match point as starscout/games/backgammon/board.py plays it: the same planes, plays and random
// numbers, for g++ -O3 -march=native.
#include "random_games.h"

static const Word BOARD = 0xFFFFFF, BAR = 1 << 24, PLACES = BOARD | BAR, HOME = 0x3F;
static const int MOST = 2048;

struct Position {
    Word own_low, own_high, enemy_low, enemy_high;
    int64_t opening, mover;
};

static inline Word reverse(Word bits) {
    bits = ((bits >> 1) & 0x5555555555555555u) | ((bits & 0x5555555555555555u) << 1);
    bits = ((bits >> 2) & 0x3333333333333333u) | ((bits & 0x3333333333333333u) << 2);
    bits = ((bits >> 4) & 0x0F0F0F0F0F0F0F0Fu) | ((bits & 0x0F0F0F0F0F0F0F0Fu) << 4);
    return __builtin_bswap64(bits);
}

static inline int lowest(Word bits) { return __builtin_ctzll(bits); }
static inline Word occupied(Word low, Word high) { return (low | low >> 32 | high | high >> 32) & PLACES; }
static inline Word crowded(Word low, Word high) { return (low >> 32 | high | high >> 32) & PLACES; }

static constexpr Word high_dice() {
    Word found = 0;
    for (int high = 1; high <= 6; high++)
        for (int low = 1; low <= high; low++) found |= Word(high) << 3 * (high * (high - 1) / 2 + low - 1);
    return found;
}
static constexpr Word HIGH_DICE = high_dice();
static inline int high_die(int roll) { return (HIGH_DICE >> (3 * roll - 3)) & 7; }
static inline int low_die(int roll) { return roll - high_die(roll) * (high_die(roll) - 1) / 2; }

static inline void remove_checker(Word &low, Word &high, Word bit) {
    low ^= bit;
    Word borrow = (low & bit) << 32;
    low ^= borrow;
    borrow = (low & borrow) >> 32;
    high ^= borrow;
    high ^= (high & borrow) << 32;
}

static inline void add_checker(Word &low, Word &high, Word bit) {
    Word carry = (low & bit) << 32;
    low ^= bit;
    Word second = (low & carry) >> 32;
    low ^= carry;
    Word third = (high & second) << 32;
    high ^= second ^ third;
}

static inline void step(Word &low, Word &high, Word source, int die) {
    remove_checker(low, high, source);
    Word target = (source >> die) & BOARD;
    if (target) add_checker(low, high, target);
}

static inline Word sources(Word places, Word free, int die) {
    Word found = places & (free << die);
    if (places & BAR) return found & BAR;
    if (!(places & ~HOME)) {
        if (places >> (die - 1)) {
            found |= places & (Word(1) << (die - 1));
        } else {
            Word filled = places | places >> 1;
            filled |= filled >> 2;
            filled |= filled >> 4;
            found |= filled ^ filled >> 1;
        }
    }
    return found;
}

static inline Word after(Word places, Word many, Word source, int die) {
    return (places & ~(source & ~many)) | ((source >> die) & BOARD);
}

static inline int64_t half_move(int source, int die) { return source | die << 5; }

static inline int emit(Word found, int die, int64_t before, int place, int64_t *out, int count) {
    int64_t last = int64_t(die) << (5 + place);
    for (; found; found &= found - 1) out[count++] = before | last | int64_t(lowest(found)) << place;
    return count;
}

static inline int list_pairs(Word places, Word many, Word free, Word blots, int high, int low, int64_t *out) {
    int count = 0;
    Word second_free = free << low, quiet = (free << high) & ~(blots << high);
    for (Word left = places & (free << high); left; left &= left - 1) {
        Word source = left & -left;
        Word found = after(places, many, source, high) & second_free & ~((source << low) & quiet);
        count = emit(found, low, half_move(lowest(source), high), 8, out, count);
    }
    Word both = places & second_free & ~(places << low) & (free << (high + low));
    for (both &= ~(quiet & ~(blots << low)); both; both &= both - 1)
        out[count++] = half_move(lowest(both), low) | half_move(lowest(both) - low, high) << 8;
    return count;
}

static inline int list_from_bar(Word places, Word many, Word free, Word blots, int high, int low, int64_t *out) {
    Word high_entry = BAR >> high, low_entry = BAR >> low;
    bool enters_high = free & high_entry, enters_low = free & low_entry;
    if (many & BAR) {
        if (!enters_high || !enters_low) return 0;
        out[0] = half_move(24, high) | half_move(24, low) << 8;
        return 1;
    }
    int count = 0;
    Word rest = places ^ BAR;
    if (enters_high) count = emit((rest | high_entry) & (free << low), low, half_move(24, high), 8, out, count);
    if (enters_low) {
        Word found = (rest | low_entry) & (free << high);
        if (enters_high && !(blots & (high_entry | low_entry))) found &= ~low_entry;
        count = emit(found, high, half_move(24, low), 8, out, count);
    }
    return count;
}

static int list_bearing_off(Word places, Word many, Word free, Word blots, int high, int low, int64_t *out) {
    int count = 0;
    Word first = sources(places, free, high);
    for (Word left = first; left; left &= left - 1) {
        Word source = left & -left, found = sources(after(places, many, source, high), free, low);
        Word twice = source << low, way = twice >> high;
        if ((found & twice & first) && way && !(way & blots) && (sources(after(places, many, twice, high), free, low) & way))
            found ^= twice;
        count = emit(found, low, half_move(lowest(source), high), 8, out, count);
    }
    for (Word left = sources(places, free, low); left; left &= left - 1) {
        Word source = left & -left;
        int index = lowest(source);
        for (Word found = sources(after(places, many, source, low), free, high); found; found &= found - 1) {
            Word other = found & -found;
            int other_index = lowest(other);
            bool listed = (first & other) && (sources(after(places, many, other, high), free, low) & source);
            if (!listed && (first & source)) {
                Word following = sources(after(places, many, source, high), free, low);
                if (index < low && other_index < high)
                    listed = index < high && other_index < low && (following & other);
                else if (other_index == index - low && index >= high)
                    listed = (following & (source >> high)) && !(blots & (source >> high | other));
            }
            if (!listed) out[count++] = half_move(index, low) | half_move(other_index, high) << 8;
        }
    }
    return count;
}

static int list_double(const Position &p, int die, Word free, int64_t *out) {
    int count = 0, most = 1;
    Word first = sources(occupied(p.own_low, p.own_high), free, die);
    if (!first) {
        out[0] = 0;
        return 1;
    }
    for (; first; first &= first - 1) {
        Word source = first & -first, low_1 = p.own_low, high_1 = p.own_high;
        int64_t play_1 = half_move(lowest(source), die);
        step(low_1, high_1, source, die);
        Word second = sources(occupied(low_1, high_1), free, die) & (source | (source - 1));
        if (!second && most == 1) out[count++] = play_1;
        for (; second; second &= second - 1) {
            Word source = second & -second, low_2 = low_1, high_2 = high_1;
            int64_t play_2 = play_1 | half_move(lowest(source), die) << 8;
            step(low_2, high_2, source, die);
            Word third = sources(occupied(low_2, high_2), free, die) & (source | (source - 1));
            if (!third && most <= 2) {
                if (most != 2) count = 0;
                most = 2;
                out[count++] = play_2;
            }
            for (; third; third &= third - 1) {
                Word source = third & -third, low_3 = low_2, high_3 = high_2;
                int64_t play_3 = play_2 | half_move(lowest(source), die) << 16;
                step(low_3, high_3, source, die);
                Word fourth = sources(occupied(low_3, high_3), free, die) & (source | (source - 1));
                if (!fourth && most <= 3) {
                    if (most != 3) count = 0;
                    most = 3;
                    out[count++] = play_3;
                } else if (fourth) {
                    if (most != 4) count = 0;
                    most = 4;
                    count = emit(fourth, die, play_3, 24, out, count);
                }
            }
        }
    }
    return count;
}

static inline int list_plays(const Position &p, int roll, int64_t *out) {
    int high = high_die(roll), low = low_die(roll);
    Word many_enemies = crowded(p.enemy_low, p.enemy_high), single = p.enemy_low & ~many_enemies & BOARD;
    Word turned = reverse((many_enemies & BOARD) | single << 32);
    Word free = ~(turned >> 40) & BOARD, blots = (turned >> 8) & BOARD;
    if (high == low) return list_double(p, high, free, out);
    Word places = occupied(p.own_low, p.own_high), many = crowded(p.own_low, p.own_high), outside = places & ~HOME;
    int count;
    if (places & BAR)
        count = list_from_bar(places, many, free, blots, high, low, out);
    else if ((outside & (outside - 1)) | (outside & many))
        count = list_pairs(places, many, free, blots, high, low, out);
    else
        count = list_bearing_off(places, many, free, blots, high, low, out);
    if (!count) count = emit(sources(places, free, high), high, 0, 0, out, count);
    if (!count) count = emit(sources(places, free, low), low, 0, 0, out, count);
    if (!count) out[count++] = 0;
    return count;
}

static inline Position make_play(Position p, int64_t move) {
    for (; move; move >>= 8) {
        int index = move & 31, die = (move >> 5) & 7;
        step(p.own_low, p.own_high, Word(1) << index, die);
        if (index >= die) {
            Word enemy = Word(1) << (23 - index + die);
            if (p.enemy_low & enemy) {
                p.enemy_low ^= enemy;
                add_checker(p.enemy_low, p.enemy_high, BAR);
            }
        }
    }
    return {p.enemy_low, p.enemy_high, p.own_low, p.own_high, 0, 1 - p.mover};
}

static inline int events(const Position &p) { return p.opening ? 15 : 21; }

static inline int event(const Position &p, int index, int &weight) {
    if (p.opening) {
        weight = 2;
        return index + high_die(index + 1) + 1;
    }
    weight = high_die(index + 1) == low_die(index + 1) ? 1 : 2;
    return index + 1;
}

static inline int draw(const Position &p, Word random) {
    int total = 0, weight = 0;
    for (int index = 0; index < events(p); index++) {
        event(p, index, weight);
        total += weight;
    }
    int left = below(random, total), index = 0, drawn = event(p, 0, weight);
    while (left >= weight) {
        left -= weight;
        drawn = event(p, ++index, weight);
    }
    return drawn;
}

struct Backgammon {
    using Position = ::Position;

    static Position opening(Word) {
        Position p = {0, 0, 0, 0, 1, 0};
        static const int START[4][2] = {{23, 2}, {12, 5}, {7, 3}, {5, 5}};
        for (auto &place : START)
            for (int checker = 0; checker < place[1]; checker++) add_checker(p.own_low, p.own_high, Word(1) << place[0]);
        p.enemy_low = p.own_low;
        p.enemy_high = p.own_high;
        return p;
    }

    static int outcome(const Position &p) { return p.enemy_low | p.enemy_high ? ONGOING : LOSS; }

    static Position next_ply(const Position &p, Word random) {
        static thread_local int64_t row[MOST];
        int count = list_plays(p, draw(p, random << 32), row);
        return make_play(p, row[below(random, count)]);
    }
};

static int64_t leaves(const Position &p, int depth) {
    int64_t row[MOST], found = 0;
    for (int index = 0; index < events(p); index++) {
        int weight, count = list_plays(p, event(p, index, weight), row);
        if (depth == 1) {
            found += count;
            continue;
        }
        for (int place = 0; place < count; place++) {
            Position child = make_play(p, row[place]);
            found += Backgammon::outcome(child) == ONGOING ? leaves(child, depth - 1) : 0;
        }
    }
    return found;
}

extern "C" int64_t perft(int64_t depth) { return leaves(Backgammon::opening(0), depth); }

extern "C" void random_games(Word seed, Word first, int64_t count, GameTotals *totals) {
    play_many<Backgammon>(seed, first, count, totals);
}
