/* A tcg-ewn engine: steps towards the far corner with probability SHARE (from the Makefile), else moves at random. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char squares[12][4];

static int is_there(int first, int n) { return n >= 0 && n < 6 && squares[first + n][0] != '0'; }

int main(void) {
    char line[256], colour, chosen[8];
    int die;
    srand(time(NULL) * 31 + getpid());
    while (fgets(line, sizeof line, stdin) && strncmp(line, "exit", 4)) {
        if (!strncmp(line, "get", 3)) {
            char (*s)[4] = squares;
            if (sscanf(line, "get %c %d %3s %3s %3s %3s %3s %3s %3s %3s %3s %3s %3s %3s", &colour, &die, s[0], s[1], s[2], s[3],
                       s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11]) != 14) return 1;
            int red = colour == 'R', first = red ? 6 : 0, step = red ? 1 : -1, low = die - 1, high = die - 1, best = -1000;
            const char *goal = red ? "E5" : "A1";
            while (low >= 0 && !is_there(first, low)) low--;
            while (high < 6 && !is_there(first, high)) high++;
            int greedy = rand() < SHARE * RAND_MAX;
            for (int side = 0; side < 2; side++) {
                int cube = side ? high : low;
                if (!is_there(first, cube) || (is_there(first, die - 1) && cube != die - 1)) continue;
                char *from = squares[first + cube];
                for (int way = 1; way < 4; way++) {
                    int across = way & 1, down = way >> 1;
                    if ((across && from[0] == goal[0]) || (down && from[1] == goal[1])) continue;
                    char to[3] = {from[0] + across * step, from[1] + down * step, 0};
                    int x = abs(to[0] - goal[0]), y = abs(to[1] - goal[1]), value = -2 * (x > y ? x : y) * 8;
                    for (int n = 0; n < 12; n++)
                        if (!strcmp(squares[n], to)) value += n >= first && n < first + 6 ? -4 : 20;
                    value = greedy ? value * 4 + rand() % 4 : rand() % 100;
                    if (value > best) {
                        best = value;
                        snprintf(chosen, sizeof chosen, "%.2s %.2s", from, to);
                    }
                }
            }
            puts(chosen);
        } else puts(!strncmp(line, "ini R", 5) ? "C1 B2 A3 A1 B1 A2" : !strncmp(line, "ini", 3) ? "C5 D4 E3 E5 D5 E4" : "1");
        fflush(stdout);
    }
    return 0;
}
