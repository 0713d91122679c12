// The rules of the built-in games in both languages; other games are described by their files.

import { language } from "./words.js";

const NAMES = {
  en: { goal: "Goal", dice: "Dice", moves: "Moves", captures: "Captures", end: "End", page: "On this page" },
  zh: { goal: "目標", dice: "骰子", moves: "走法", captures: "吃子", end: "終局", page: "操作" },
};

const CUBES = {
  en: "Click or drag a framed cube to a dot. With the keyboard: arrows move between squares, Enter chooses. All moves are also buttons.",
  zh: "點選或拖曳有外框的方塊到圓點。用鍵盤：方向鍵移動，Enter 選擇。所有著手也列成按鈕。",
};

const NO_DICE = { en: "No dice.", zh: "不擲骰子。" };

const OWN = {
  en: "The moves come from the game's own file. Click a dot, or a framed piece and then a dot; all moves are also buttons.",
  zh: "著手由遊戲檔案決定。點選圓點，或先點有外框的棋子再點圓點；所有著手也列成按鈕。",
};

const RULES = {
  ewn: {
    en: {
      goal: "Bring one cube to the far corner, or capture all cubes of the other side. Red starts at the top left and heads for E5; blue starts at the bottom right and heads for A1.",
      dice: "Before every move a die is rolled. The cube with that number moves. If that cube is gone, you move the one with the next higher or the next lower number that is left.",
      moves: "One square: red moves right, down or diagonally down-right; blue left, up or diagonally up-left. You must move.",
      captures: "A cube on the target square is captured, even one of your own. That can help: with fewer cubes, more rolls move the one that you need.",
      end: "There is no draw. Before the game each side may choose where its numbers go.",
      page: CUBES.en,
    },
    zh: {
      goal: "把一個方塊走到對角，或吃光對方所有方塊。紅方從左上角出發，目標 E5；藍方從右下角出發，目標 A1。",
      dice: "每手之前先擲骰子，走該號碼的方塊。若它已不在棋盤上，則走剩下號碼中最接近的較大或較小者，由您選擇。",
      moves: "每次一格：紅方向右、向下或向右下；藍方向左、向上或向左上。不能不走。",
      captures: "目標格上的方塊無論敵我都會被吃掉。吃自己的方塊有時有利：方塊越少，能走關鍵方塊的點數越多。",
      end: "沒有和局。開局前雙方可以自行安排號碼的位置。",
      page: CUBES.zh,
    },
  },
  "ewn-cyclic": {
    en: {
      goal: "As in EinStein würfelt nicht!: reach the far corner, or capture all enemy cubes. The board has 6 × 7 squares, the cubes have the numbers 0 to 5.",
      dice: "The dice are known from the start: 21 digits that repeat. Both sides see which numbers come next, so there is no luck.",
      moves: "One square: red moves right, down, down-right or up-right; blue left, up, up-left or down-left. Red moves first.",
      captures: "A cube on the target square is captured, even one of your own.",
      page: CUBES.en,
    },
    zh: {
      goal: "與愛恩斯坦棋相同：先到對角，或吃光對方方塊。棋盤為 6 × 7，方塊號碼為 0 到 5。",
      dice: "骰子從一開始就已知：21 個數字循環使用，雙方都看得到之後的點數，因此沒有運氣成分。",
      moves: "每次一格：紅方向右、下、右下，以及右上；藍方向左、上、左上，以及左下。紅方先走。",
      captures: "目標格上的方塊無論敵我都會被吃掉。",
      page: CUBES.zh,
    },
  },
  kari: {
    en: {
      goal: "Have the smaller number in the far corner when both corners are taken, or capture all enemy cubes.",
      dice: "None: move any of your cubes.",
      moves: "One square: red moves right, down or down-right; blue left, up or up-left. A side that cannot move passes.",
      captures: "A cube on the target square is captured, even one of your own. A cube in its far corner can only be replaced by one of its own side.",
      end: "When both far corners are taken the smaller number wins; equal numbers are a draw.",
      page: CUBES.en,
    },
    zh: {
      goal: "雙方都佔據對角時，角上號碼較小者獲勝；吃光對方方塊亦獲勝。",
      dice: "不擲骰子：可移動自己的任一方塊。",
      moves: "每次一格：紅方向右、下或右下，藍方向左、上或左上。無法移動的一方跳過。",
      captures: "目標格上的方塊會被吃掉。已到對角的方塊不會被對方吃掉，但可由自己的方塊取代。",
      end: "兩個對角都被佔據時終局：號碼較小者獲勝，相同則和局。",
      page: CUBES.zh,
    },
  },
  othello: {
    en: {
      goal: "Have more discs than the other side when nobody can move.",
      moves: "Black moves first. Place a disc so that a straight line of enemy discs is enclosed between it and another disc of yours. All enclosed discs, in all directions, are turned over.",
      end: "A side without such a move passes. When neither side has one, the discs are counted.",
      page: "Click a dot. With the keyboard: arrows move between squares, Enter chooses. A pass is a button.",
    },
    zh: {
      goal: "雙方都無法落子時，棋子較多者獲勝。",
      moves: "黑方先下。落子必須與己方另一枚棋子在直線上夾住對方棋子；各方向被夾住的棋子全部翻面。",
      end: "沒有合法著手的一方跳過；雙方都沒有時計算棋子。",
      page: "點選圓點落子。用鍵盤：方向鍵移動，Enter 選擇。跳過是一個按鈕。",
    },
  },
  backgammon: {
    en: {
      goal: "Bear off all 15 checkers first. White moves from 24 down to 1, black in the opposite direction.",
      dice: "Two dice; a double is played four times. Both dice must be played if possible.",
      moves: "A checker moves by one die to a point that holds at most one enemy checker. When all checkers are in the home board (points 1 to 6), they may be borne off.",
      captures: "A single enemy checker is hit and goes to the bar. It must enter again before other checkers move.",
      end: "A win counts 1 point; 2 if the loser has borne off no checker (gammon); 3 if, in addition, one of the loser's checkers is on the bar or in the winner's home board (backgammon).",
      page: "Click or drag one checker after another, in any order; Escape takes them back. All plays are also buttons.",
    },
    zh: {
      goal: "先移出全部 15 枚棋子者勝。白方由 24 走向 1，黑方反向。",
      dice: "兩顆骰子；同點走四次。可走時兩顆都必須走。",
      moves: "棋子依一顆骰子的點數走到至多有一枚敵子的點。全部棋子都在內盤（1 到 6 點）後可以移出。",
      captures: "單獨的敵子被打到中間的橫木上，必須先重新進入，其他棋子才能走。",
      end: "獲勝得 1 點；對方一枚都未移出得 2 點（gammon）；且對方仍有棋子在橫木或勝方內盤得 3 點（backgammon）。",
      page: "依任意順序逐一點選或拖曳棋子；Escape 取消。所有走法也列成按鈕。",
    },
  },
  "dark-chess": {
    en: {
      goal: "Capture all pieces of the other side, or leave it without a move.",
      moves: "Turn over a hidden piece, or move one of your pieces one square along a row or a column. The first piece that is turned over determines the colours.",
      captures: "A piece captures an equal or lower one beside it: general, advisor, elephant, chariot, horse, cannon, soldier. A soldier captures the general, but the general cannot capture a soldier. A cannon captures any piece, but only by jumping over exactly one piece.",
      end: "A side without any legal action loses. After 30 plies without a capture the game is a draw; flips do not count.",
      page: "Click a hidden piece to turn it over. Click or drag a framed piece to a dot. All moves are also buttons.",
    },
    zh: {
      goal: "吃光對方所有棋子，或使對方無棋可走。",
      moves: "翻開一枚蓋著的棋子，或把己方棋子沿直線或橫線走一格。第一枚翻開的棋子決定雙方顏色。",
      captures: "可吃相鄰的同級或較低的棋子：將、士、象、車、馬、包、卒。卒可吃將，將不可吃卒。包（炮）可吃任何棋子，但只能恰好隔一子跳吃。",
      end: "無合法動作的一方判負。連續 30 手沒有吃子則和局，翻棋不計。",
      page: "點選蓋著的棋子即可翻開。點選或拖曳有外框的棋子到圓點。所有著手也列成按鈕。",
    },
  },
};

// Pairs of heading and paragraph.
export function rules(game) {
  const known = RULES[game.name]?.[language()];
  if (!known) return [[NAMES[language()].dice, game.dice === "none" ? NO_DICE[language()] : game.dice], [NAMES[language()].page, OWN[language()]]];
  return Object.entries(known).map(([part, text]) => [NAMES[language()][part], text]);
}
