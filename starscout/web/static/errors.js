// What the server refuses, in Traditional Chinese. {names} stand for whatever the server says there.

import { language } from "./words.js";

const CHINESE = {
  "it is not your turn": "還沒輪到你",
  "the board has changed: this move belongs to another position": "盤面已經改變：這一手屬於另一個盤面",
  "{move} is not a legal move in {position}: legal are {moves}": "{move} 不是合法著手，合法的有：{moves}",
  "the game has begun already": "棋局已經開始",
  "the game has not begun": "棋局還沒開始",
  "the opponent is getting ready": "對手正在準備",
  "numbers are placed before the game begins, in games that allow it": "只有部分遊戲可以擺放號碼，而且要在開局之前",
  "only your own cubes can be exchanged": "只能交換自己的方塊",
  "only two cubes of one side can be exchanged": "只能交換同一方的兩個方塊",
  "there is nothing to take back: you have not moved yet": "無法悔棋：你還沒有下過",
  "{player} cannot take moves back": "{player} 不能悔棋",
  "this table is no longer here: begin a new game": "這一桌已經不在了：請開新局",
  "all tables of this server are taken: come back later": "伺服器的桌子都滿了：請稍後再來",
  "the game is over: there is nothing to advise": "棋局已經結束，沒有可以建議的著手",
  "the game is over: there is nothing to analyse": "棋局已經結束，沒有可以分析的",
  "the game is over: its result is known": "棋局已經結束，結果已知",
  "the game is over: there is nothing to search": "棋局已經結束，沒有可以搜尋的",
  "{player} is a program: it cannot be asked about any position": "{player} 是外部程式，不能詢問任意盤面",
  "a Monte-Carlo tree grows after the roll: choose a die": "蒙地卡羅樹從擲骰之後開始：請選擇骰子",
  "the tree has more than {count} nodes: choose fewer plies": "樹的節點超過 {count} 個：請減少層數",
  "the dropped file holds no game": "放下的檔案裡沒有棋局",
  "there is no game {key} here: it may have been dropped on another server": "這裡沒有棋局 {key}：可能是放到另一個伺服器上",
  "{name} is running already": "{name} 已經在進行",
  "at most {count} searches run at a time: stop one": "最多同時進行 {count} 個搜尋：請先停止一個",
  "at most {count} matches run at a time: wait, or stop one": "最多同時進行 {count} 場比賽：請稍候，或先停止一場",
  "a tournament needs at least two players": "錦標賽至少需要兩名選手",
};

const PLACE = /\{(\w+)\}/g;

// An error of the server as the person reads it; what has no entry stays English.
export function sentence(text) {
  if (language() !== "zh") return text;
  for (const [english, chinese] of Object.entries(CHINESE)) {
    const names = [...english.matchAll(PLACE)].map((found) => found[1]);
    const parts = english.split(PLACE).filter((_, index) => index % 2 === 0).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const said = text.match(new RegExp(`^${parts.join("(.+)")}$`, "s"));
    if (said) return chinese.replace(PLACE, (whole, name) => said[1 + names.indexOf(name)]);
  }
  return text;
}
