#!/usr/bin/env node
// A tcg-ewn engine: advances its foremost cube with probability SHARE, else moves at random.   engine.js SHARE
const share = Number(process.argv[2]);

function answer(line) {
  const [word, colour, die, ...squares] = line.trim().split(/\s+/);
  if (word === "exit") process.exit(0);
  if (word === "ini") return colour === "R" ? "C1 B2 A3 A1 B1 A2" : "C5 D4 E3 E5 D5 E4";
  if (word !== "get") return "1";
  const red = colour === "R", own = red ? squares.slice(6) : squares.slice(0, 6), enemy = red ? squares.slice(0, 6) : squares.slice(6);
  const step = red ? 1 : -1, goal = red ? "E5" : "A1", roll = Number(die) - 1;
  const alive = own.flatMap((square, cube) => (square === "0" ? [] : [cube]));
  const cubes = own[roll] !== "0" ? [roll] : [alive.filter(c => c < roll).at(-1), alive.find(c => c > roll)].filter(c => c !== undefined);
  const greedy = Math.random() < share, shifted = (text, at, by) => String.fromCharCode(text.charCodeAt(at) + by * step);
  let best = -Infinity, chosen = "";
  for (const cube of cubes) {
    const from = own[cube];
    for (const [across, down] of [[1, 0], [0, 1], [1, 1]]) {
      if ((across && from[0] === goal[0]) || (down && from[1] === goal[1])) continue;
      const to = shifted(from, 0, across) + shifted(from, 1, down);
      const left = Math.max(Math.abs(to.charCodeAt(0) - goal.charCodeAt(0)), Math.abs(to.charCodeAt(1) - goal.charCodeAt(1)));
      const value = greedy ? (left === 0 ? 100 : 0) - 2 * left + (enemy.includes(to) ? 3 : 0) + Math.random() : Math.random();
      if (value > best) [best, chosen] = [value, `${from} ${to}`];
    }
  }
  return chosen;
}

let rest = "";
process.stdin.on("data", text => {
  const lines = (rest + text).split("\n");
  rest = lines.pop();
  for (const line of lines) console.log(answer(line));
});
