// The random numbers of starscout/bits.py: number `counter` of the words of `seed` (SplitMix64, counter-based).
#pragma once
#include <cstdint>
using Word = uint64_t;

static inline Word mix(Word bits) {
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
    return bits ^ (bits >> 31);
}

static inline Word random_word(Word seed, Word counter) { return mix(seed + 0x9E3779B97F4A7C15u * (counter + 1)); }

static inline Word below(Word random, Word limit) { return ((random >> 32) * limit) >> 32; }

struct Tally {
    int64_t games, plies, wins, draws;
};
