// A lab engine for ewn: expectimax to a fixed depth with probability SHARE, else random.   engine SHARE DEPTH
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

struct Board {
    int cube[2][6];  // Square 0..24, or -1: captured.
};

struct Move {
    int cube, to;
};

static int goal(int side) { return side == 0 ? 24 : 0; }

static int distance(int square, int side) {
    int across = std::abs(square % 5 - goal(side) % 5), down = std::abs(square / 5 - goal(side) / 5);
    return std::max(across, down);
}

static int nearest(const Board &board, int side) {
    int best = 9;
    for (int square : board.cube[side]) if (square >= 0) best = std::min(best, distance(square, side));
    return best;
}

static std::vector<Move> moves(const Board &board, int side, int die) {
    std::vector<int> cubes;
    if (board.cube[side][die] >= 0) cubes.push_back(die);
    else {
        for (int n = die - 1; n >= 0; n--) if (board.cube[side][n] >= 0) { cubes.push_back(n); break; }
        for (int n = die + 1; n < 6; n++) if (board.cube[side][n] >= 0) { cubes.push_back(n); break; }
    }
    std::vector<Move> found;
    int step = side == 0 ? 1 : -1;
    for (int n : cubes) {
        int square = board.cube[side][n];
        bool across = square % 5 != goal(side) % 5, down = square / 5 != goal(side) / 5;
        if (across) found.push_back({n, square + step});
        if (down) found.push_back({n, square + 5 * step});
        if (across && down) found.push_back({n, square + 6 * step});
    }
    return found;
}

static Board played(Board board, int side, Move move) {
    for (auto &cubes : board.cube) for (int &square : cubes) if (square == move.to) square = -1;
    board.cube[side][move.cube] = move.to;
    return board;
}

static double value_after(const Board &board, int side, int depth);

static double best(const Board &board, int side, int die, int depth) {
    double found = -1e9;
    for (Move move : moves(board, side, die)) found = std::max(found, value_after(played(board, side, move), side, depth));
    return found;
}

// The value for `side`, which has just moved.
static double value_after(const Board &board, int side, int depth) {
    int mine = nearest(board, side), other = nearest(board, 1 - side);
    if (mine == 0 || other == 9) return 20;
    if (depth <= 1) return other - 1.5 * mine;
    double sum = 0;
    for (int die = 0; die < 6; die++) sum += best(board, 1 - side, die, depth - 1);
    return -sum / 6;
}

int main(int, char **arguments) {
    double share = std::atof(arguments[1]);
    int depth = std::atoi(arguments[2]), side = 0;
    std::mt19937 generator(std::time(nullptr) * 31 + getpid());
    Board board{};
    for (std::string line, word; std::getline(std::cin, line);) {
        std::istringstream words(line);
        words >> word;
        if (word == "lab") std::cout << "id name expectimax\ngame ewn\nlabok" << std::endl;
        else if (word == "isready") std::cout << "readyok" << std::endl;
        else if (word == "ping") { words >> word; std::cout << "pong " << word << std::endl; }
        else if (word == "position") {
            std::string rows, mover, roll, move;
            words >> word >> rows >> mover >> roll >> word;
            for (auto &cubes : board.cube) std::fill(cubes, cubes + 6, -1);
            int square = 0;
            for (char c : rows) {
                if (c == '/') { square = (square + 4) / 5 * 5; continue; }
                if (c >= '1' && c <= '6') board.cube[0][c - '1'] = square;
                if (c >= 'a' && c <= 'f') board.cube[1][c - 'a'] = square;
                square++;
            }
            side = mover == "r" ? 0 : 1;
            while (words >> roll >> move) {
                int from = (move[1] - '1') * 5 + move[0] - 'A', to = (move[3] - '1') * 5 + move[2] - 'A';
                int cube = std::find(board.cube[side], board.cube[side] + 6, from) - board.cube[side];
                board = played(board, side, {cube, to});
                side = 1 - side;
            }
        } else if (word == "go") {
            int die;
            words >> word >> die;
            std::vector<Move> legal = moves(board, side, die - 1);
            std::shuffle(legal.begin(), legal.end(), generator);
            Move chosen = legal[0];
            if (std::uniform_real_distribution<>(0, 1)(generator) < share)
                chosen = *std::max_element(legal.begin(), legal.end(), [&](Move a, Move b) {
                    return value_after(played(board, side, a), side, depth) < value_after(played(board, side, b), side, depth);
                });
            auto name = [](int square) { return std::string{char('A' + square % 5), char('1' + square / 5)}; };
            std::cout << "bestmove " << name(board.cube[side][chosen.cube]) << name(chosen.to) << std::endl;
        } else if (word == "quit") break;
    }
}
