// Error messages of the server in Traditional Chinese, by error code. {names} are the arguments of the error.

import { language } from "./words.js";

const CHINESE = {
  already_begun: "棋局已經開始",
  cannot_take_back: "{player} 不能悔棋",
  empty_file: "放下的檔案裡沒有棋局",
  engine_restarted: "引擎重新啟動了：請再試一次",
  foreign_run: "只有開始比賽的瀏覽器可以停止它",
  game_not_over: "棋局還沒結束",
  game_over_analysis: "棋局已經結束，沒有可以分析的",
  game_over_hint: "棋局已經結束，沒有可以建議的著手",
  game_over_solve: "棋局已經結束，結果已知",
  game_over_tree: "棋局已經結束，沒有可以搜尋的",
  illegal_move: "{move} 不是合法著手，合法的有：{moves}",
  internal: "發生內部錯誤：請看伺服器的紀錄",
  invalid_field: "輸入無效：{detail}",
  job_running: "{name} 已經在進行",
  mixed_pieces: "只能交換同一方的兩個方塊",
  no_archive: "無法開啟本頁的棋局紀錄",
  not_begun: "棋局還沒開始",
  not_your_turn: "還沒輪到你",
  nothing_to_take_back: "無法悔棋：你還沒有下過",
  other_pieces: "只能交換自己的方塊",
  placement_closed: "只有部分遊戲可以擺放號碼，而且要在開局之前",
  ply_out_of_range: "這盤棋有 {count} 手，沒有第 {ply} 手",
  position_changed: "盤面已經改變：這一手屬於另一個盤面",
  program_analysis: "{player} 是外部程式，不能詢問任意盤面",
  run_running: "您上一場比賽還在進行：請稍候，或先停止它",
  server_full: "伺服器的桌子都滿了：請稍後再來",
  spectator: "您正在觀看這盤棋：只有對局者可以這樣做",
  stopped: "已停止",
  too_few_players: "錦標賽至少需要兩名選手",
  too_many_runs: "最多同時進行 {count} 場比賽：請稍候，或先停止一場",
  too_many_searches: "最多同時進行 {count} 個搜尋：請先停止一個",
  tree_before_roll: "蒙地卡羅樹從擲骰之後開始：請選擇骰子",
  tree_too_large: "樹的節點超過 {count} 個：請減少層數",
  unknown_action: "沒有 {name} 這個動作",
  unknown_game: "這個伺服器沒有遊戲 {name}",
  unknown_player: "這個伺服器沒有 {game} 的選手 {name}",
  unknown_puzzle: "沒有題目 {key}",
  unknown_puzzle_move: "{move} 不是這一題的著手",
  unknown_record: "這裡沒有棋局 {key}：可能是放到另一個伺服器上",
  unknown_run: "沒有編號 {number} 的比賽",
  unknown_stored_game: "比賽 {match} 的第 {pair} 對沒有第 {game} 局",
  unknown_table: "這一桌已經不在了：請開新局",
  unknown_tournament_kind: "沒有 {kind} 這種錦標賽",
  unknown_view: "沒有可以觀看的 {key}",
};

// The text of an error in the language of the page; errors without a translation stay English.
export function errorText({ error, code, arguments: values }) {
  const translated = language() === "zh" ? CHINESE[code] : undefined;
  return translated?.replace(/\{(\w+)\}/g, (whole, name) => values[name]?.toLocaleString() ?? whole) ?? error;
}
