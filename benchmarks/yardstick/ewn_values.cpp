// Win probabilities of EinStein würfelt nicht! by plain recursion over all positions, without symmetries or merged rolls.
//
//     ewn_values COLUMNS ROWS CUBES < pairs of set-ups
//
// Each line of input has the squares (row · COLUMNS + column, in the owner's view) of the first mover's cubes 1, 2, …, then
// those of the other side's. Prints the first mover's win probability before the roll for each.
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef std::vector<int> Side;  // square of each cube, -1: captured

static int columns, rows, cubes, squares;
static std::vector<double> known;  // -1: not computed

static size_t number(const Side &own, const Side &enemy) {
    size_t result = 0;
    for (int square : own) result = result * (squares + 1) + (square + 1);
    for (int square : enemy) result = result * (squares + 1) + (square + 1);
    return result;
}

static double chance(const Side &own, const Side &enemy);

// The mover's win probability after one of its cubes has moved to a square.
static double after(Side own, Side enemy, int cube, int square) {
    bool left = false;
    for (int other = 0; other < cubes; other++) {
        if (other != cube && own[other] == square) own[other] = -1;
        if (enemy[other] == squares - 1 - square) enemy[other] = -1;
        left = left || enemy[other] >= 0;
    }
    own[cube] = square;
    return square == squares - 1 || !left ? 1.0 : 1.0 - chance(enemy, own);
}

static double best_of(const Side &own, const Side &enemy, int cube) {
    double best = -1.0;
    int row = own[cube] / columns, column = own[cube] % columns;
    for (int down = 0; down <= 1; down++)
        for (int right = 0; right <= 1; right++)
            if (down + right > 0 && row + down < rows && column + right < columns) {
                double value = after(own, enemy, cube, (row + down) * columns + column + right);
                if (value > best) best = value;
            }
    return best;
}

static double chance(const Side &own, const Side &enemy) {
    size_t index = number(own, enemy);
    if (known[index] >= 0.0) return known[index];
    double total = 0.0;
    for (int roll = 0; roll < cubes; roll++) {
        int lower = roll, higher = roll;
        while (lower >= 0 && own[lower] < 0) lower--;
        while (higher < cubes && own[higher] < 0) higher++;
        double best = -1.0;
        if (lower >= 0) best = best_of(own, enemy, lower);
        if (higher < cubes && higher != lower) {
            double value = best_of(own, enemy, higher);
            if (value > best) best = value;
        }
        total += best;
    }
    return known[index] = total / cubes;
}

int main(int, char **arguments) {
    columns = atoi(arguments[1]), rows = atoi(arguments[2]), cubes = atoi(arguments[3]);
    squares = columns * rows;
    size_t positions = 1;
    for (int cube = 0; cube < 2 * cubes; cube++) positions *= squares + 1;
    known.assign(positions, -1.0);
    Side own(cubes), enemy(cubes);
    for (;;) {
        for (int cube = 0; cube < 2 * cubes; cube++)
            if (scanf("%d", cube < cubes ? &own[cube] : &enemy[cube - cubes]) != 1) return 0;
        printf("%.17g\n", chance(own, enemy));
    }
}
