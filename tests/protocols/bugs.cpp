// A `lab` engine for ewn: one cube that the die allows steps towards the far corner. BUG selects a deliberate bug.
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <unistd.h>
using namespace std;

static void say(const string &line) {
    cout << line << (BUG == 4 ? "\r\n" : "\n");
    if (BUG != 2) cout.flush();
}

static string best(const string board[5], bool red, int die) {
    int nearest = 6, step = red ? 1 : -1;
    string move;
    for (int row = 0; row < 5; row++)
        for (int column = 0; column < 5; column++) {
            char piece = board[row][column], first = red ? '1' : 'a';
            if (piece < first || piece > first + 5 || abs(piece - first + 1 - die) >= nearest) continue;
            nearest = abs(piece - first + 1 - die);
            int right = column == (red ? 4 : 0) ? 0 : step, down = row == (red ? 4 : 0) ? 0 : step;
            move = {char('A' + column), char('1' + row), char('A' + column + right), char('1' + row + down)};
        }
    return move;
}

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    string line, word, board[5];
    bool red = true;
    while (getline(cin, line)) {
        istringstream words(line);
        words >> word;
        if (word == "lab") say(BUG == 8 ? "uciok" : "id name bugs\nlabok");
        else if (word == "isready") say("readyok");
        else if (word == "position") {
            string text, side, die;
            words >> word >> text >> side >> die >> word;
            istringstream rows(text);
            for (auto &row : board) getline(rows, row, '/');
            for (red = side == "r"; words >> die >> word; red = !red) {
                swap(board[word[3] - '1'][word[2] - 'A'], board[word[1] - '1'][word[0] - 'A']);
                board[word[1] - '1'][word[0] - 'A'] = '.';
            }
        } else if (word == "go") {
            int die;
            words >> word >> die;
            if (BUG == 3) say("thinking");
            if (BUG == 5) sleep(3);
            if (BUG == 6) { cerr << "index 7 out of range" << endl; abort(); }
            say((BUG == 1 ? "move " : "bestmove ") + (BUG == 7 ? "A1A1" : best(board, red, die)));
        } else if (word == "quit") break;
    }
}
