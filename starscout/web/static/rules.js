// The rules in a few sentences, in both languages; a game of one's own is described by its file.

import { language } from "./words.js";

const RULES = {
  ewn: {
    en: ["Red starts top left and steps right, down or diagonally right-down; blue starts bottom right and steps left, up or left-up.",
      "A die is rolled before every move. The cube with that number moves; if it is gone, the next lower or the next higher one that is left.",
      "Whatever stands on the target square is removed, own or enemy.",
      "You win by reaching the far corner, or by capturing the last enemy cube."],
    zh: ["紅方從左上角出發,每步向右、向下或向右下走一格;藍方從右下角出發,每步向左、向上或向左上走一格。",
      "每手之前先擲骰子,走該號碼的方塊;若它已不在棋盤上,則可走號碼最接近的較小或較大的方塊。",
      "目標格上的方塊無論敵我都會被吃掉。",
      "先到達對角者獲勝;吃光對方所有方塊者亦獲勝。"],
  },
  "ewn-cyclic": {
    en: ["As EinStein würfelt nicht!, on 6 × 7 squares with cubes 0 to 5.",
      "The dice are known from the start: 21 digits that repeat. Both sides see what comes.",
      "There is a fourth step: red may also go right-up, blue left-down. Red moves first.",
      "You win by reaching the far corner, or by capturing the last enemy cube."],
    zh: ["與愛恩斯坦棋相同,但棋盤為 6 × 7,方塊號碼為 0 到 5。",
      "骰子從一開始就已知:21 個數字循環使用,雙方都看得到之後的點數。",
      "另有第四種走法:紅方可走右上,藍方可走左下。紅方先走。",
      "先到達對角者獲勝;吃光對方所有方塊者亦獲勝。"],
  },
  kari: {
    en: ["No dice: move any of your cubes. Red steps right, down or right-down, blue left, up or left-up. Whatever is on the target is removed.",
      "The game ends when both far corners are taken: the smaller number in its corner wins, equal numbers draw. Removing the last enemy cube wins too.",
      "A cube in the far corner is safe from the enemy; an own cube may replace it.",
      "A side that cannot move passes."],
    zh: ["不擲骰子:可移動自己的任一方塊。紅方向右、下或右下,藍方向左、上或左上。目標格上的方塊會被吃掉。",
      "雙方都佔據對角時棋局結束:角上號碼較小者獲勝,相同則和局。吃光對方方塊亦獲勝。",
      "已到對角的方塊不會被對方吃掉,但可由自己的方塊取代。",
      "無法移動的一方必須跳過。"],
  },
  othello: {
    en: ["Black moves first. Put a disc so that it encloses a line of enemy discs between itself and another disc of yours; the enclosed discs are turned over.",
      "A side that has no such move passes.",
      "When neither side can move, the side with more discs wins."],
    zh: ["黑方先下。落子必須與己方另一枚棋子夾住一排對方棋子,被夾住的棋子全部翻面。",
      "沒有合法著手的一方必須跳過。",
      "雙方都無法落子時,棋子較多者獲勝。"],
  },
};

export function rules(game) {
  return RULES[game.name]?.[language()] ?? [game.description, game.dice];
}
