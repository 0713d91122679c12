// The texts of the page in Traditional Chinese, by English text; texts without an entry stay English.

import { remember, remembered } from "./theme.js";

const CHINESE = {
  "Play": "對弈", "Watch": "觀賽", "Analyse": "解析", "Search tree": "看搜尋", "Toggle theme": "淺色或深色",
  "Skip to content": "跳到棋盤", "Play a game": "下一盤棋", "Rules": "規則", "Close": "關閉", "Game": "遊戲",
  "two players at this board": "兩人同盤對弈", "Amount": "多少", "Limit by": "強度依據", "seconds per move": "秒/手",
  "simulations": "次模擬", "plies deep": "層深度", "Opponent": "對手", "Level": "強度", "You are": "您執", "First to move": "先手",
  "Clock": "棋鐘", "Placement": "佈陣", "I arrange my own pieces": "自行安排號碼位置", "Begin": "開始", "none": "無",
  "either": "隨機", "{n} min per side": "每方 {n} 分鐘", "Moves": "著手", "Take back": "悔棋", "Hint": "提示", "Move now": "立即走",
  "Resign": "認輸", "Turn the board": "翻轉棋盤", "Save the game": "儲存棋譜", "Review this game": "解析這盤棋", "New game": "新的一盤",
  "The opponent failed": "對手無法繼續", "Loading the opponent …": "對手準備中 …",
  "Click two of your pieces to exchange them, then begin.": "交換號碼：點選自己的兩個方塊，再按開始。", "Ready?": "準備好了嗎？",
  "your turn": "輪到您", "thinking …": "思考中 …", "You": "您", 
  "die": "骰子", "then": "接著", "connection lost": "連線中斷", "connecting …": "連線中 …",
  "red": "紅方", "blue": "藍方", "black": "黑方", "white": "白方", "yellow": "黃方", "first": "先手", "second": "後手",
  "{side} wins": "{side}獲勝", "{n} points": "{n} 點", "weight {n}": "權重 {n}", "{side} to move": "輪到{side}", "A draw": "和局",
  "corner": "到達對角", "captured all": "吃光對方", "discs": "棋子數", "numbers": "號碼", "resigned": "認輸", "timeout": "超時",
  "illegal move": "違規著手", "crash": "程式當掉", "stalled": "沒有回應", "disconnected": "斷線", "adjourned": "未下完", "four in a line": "四子連線", "full board": "棋盤已滿",
  "Analyse a game or a position": "解析棋局或局面", "Set up a position": "擺設局面", "Drop a game record here, in any format that StarScout reads.": "把棋譜拖到這裡：StarScout 能讀的任何格式。",
  "Select a file": "選擇檔案", "Compare two engines": "比較兩個引擎", "Solve exactly": "精確求解", "Exact value": "精確結果", "{n} discs": "{n} 子",
  "Not solved": "無法求解", "Not solved: the search reached depth {n}.": "無法求解：搜尋到 {n} 層仍未終局。", "Analyse a position": "分析局面", "Pieces": "棋子",
  "Edit the position": "自行擺子", "Select a piece and click squares, or enter the position as text.": "先選棋子再點格子；或直接輸入局面。", "Show": "顯示", "empty": "空格",
  "A game": "一盤棋", "First ply": "第一手", "Back one ply": "上一手", "Forward one ply": "下一手", "Last ply": "最後一手", "Analyse this position": "分析此局面",
  "luck": "運氣", "loss by mistakes": "著手損失", "per move": "每手", "very bad": "大錯", "bad": "錯著", "doubtful": "疑問手",
  "very lucky": "非常幸運", "lucky": "幸運", "very unlucky": "非常不幸", "unlucky": "不幸", "loses {chance}; {move} is better": "損失 {chance}，{move} 較佳", "the best move": "最佳著手",
  "no winner": "無人獲勝", "luck by {meter}, losses by {judge}": "運氣依 {meter}，損失依 {judge}", "deeper analysis in progress …": "引擎正在深入分析 …", "{side} gained {chance} through better moves": "{side}靠較好的著手多得 {chance}", "{side} was luckier by {chance}": "{side}運氣較好，多得 {chance}",
  "Win probability of {side} at every ply": "{side}每一手的勝率", "ply": "手數", "Player": "思考者", "Time": "多久", "Start analysis": "思考", "Stop": "停止", "{n} plies": "{n} 層",
  "nodes": "節點", "line": "主變化", "proven": "已證明", "pruned at {n}": "於第 {n} 次剪除",
  "Start a match or a tournament": "開始比賽或錦標賽", "running": "進行中", "failed": "失敗", "finished": "已結束", "unfinished": "未完成", 
  "single match": "一場比賽", "round robin": "循環賽", "Swiss tournament": "瑞士制", "gauntlet": "車輪戰", "Type": "種類", "Players": "選手", "Swiss rounds": "瑞士制輪數", "Game pairs": "對局組數",
  "Select two players for a match, or more for a tournament.": "比賽請選兩位選手，錦標賽可選更多。",
  "Round robin": "循環賽", "Swiss": "瑞士制", "Gauntlet": "車輪戰", "players": "選手", "player": "選手", "games": "局", "game": "遊戲", "per pairing": "每次對戰", "seed": "種子",
  "rank": "名次", "points": "積分", "opponents' points": "對手積分", "Elo": "Elo", "Ratings": "等級分", "Cross table": "對戰表", "Rounds": "各輪", "round": "輪", "bye": "輪空",
  "forfeits": "判負", "Forfeits": "判負", "reason": "原因", "detail": "說明", "score of A": "A 的得分率", "likelihood of superiority of A": "A 較強的機率", "luck-adjusted": "扣除運氣", "points per game": "每局點數", "luck-adjusted points": "扣除運氣的點數", "raw": "原始",
  "sequential test": "序列檢定", "Pair scores": "成對得分", "pair score": "成對得分", "pairs": "對", "pair": "對", "match": "比賽", "Running score": "得分走勢",
  "Game length": "棋局長度", "Time per move": "每手思考時間", "plies": "手數", "moves": "手", "milliseconds": "毫秒", "no data yet": "尚無資料",
  "Highlights": "最值得看的棋局", "largest mistake": "最大損失", "luckiest roll": "最幸運的骰子", "limits set by the players": "選手自己的限制",
  "Tournaments": "錦標賽", "Tunings": "調參", "Tuning": "調參", "Matches": "比賽", "number": "編號", "kind": "種類", "No games yet.": "還沒有任何對局。",
  "steps": "步", "step": "步", "pairs per step": "對/步", "parameter": "參數", "start": "起始值", "range": "範圍", "result": "結果", "value": "值", "score": "得分", "Tuned player": "調整後的選手",
  "Score of the first player per step": "每步第一位選手的得分", "A": "A", "B": "B",
  "Search": "搜尋", "alpha-beta": "alpha-beta", "Monte-Carlo": "蒙地卡羅", "Depth": "深度", "Next die": "換一個點數", "Tree": "搜尋樹", "root": "此處", "?! / ? / ??": "?! / ? / ??",
  "Each node shows its visits and its mean result for the side to move at the root. Pruned moves are crossed out. The search prefers moves with a high value or high uncertainty.": "每個節點：拜訪次數與根節點走棋方的平均結果。劃線者已剪除。搜尋會走向價值高或不確定性大的地方。",
  "Each node shows its window [α, β] and its value for the side to move. A child that reaches β causes a cutoff, because the opponent avoids the node. Nodes that were not searched are crossed out.": "每個節點：搜尋窗 [α, β] 與該處走棋方的值。子節點達到 β 時此節點結束：對手不會讓它發生。劃線者從未搜尋。",
  "not searched: cutoff in the parent": "未搜尋：父節點已截斷", "cutoff: value ≥ β": "截斷：達到 β", "cutoff: α is out of reach": "截斷：已無法達到 α", "evaluation": "評估值", "game over": "棋局已結束", "visits": "次拜訪",
  "Copy the link": "複製連結", "The game so far": "棋譜", "Confirm resignation": "真的認輸？", "you win": "您贏了", "you lose": "您輸了", "can move": "可移動",
  "Saved games of this page, games of the course server, Othello GGF, or move lists such as f5 d6 c3.": "本頁儲存的棋譜、課程伺服器的棋譜、黑白棋 GGF，或 f5 d6 c3 這樣的著手列表。",
  "File too large: the maximum is {n} kB.": "檔案太大：最多讀取 {n} kB。", "exact value": "精確結果", "loses {n} discs": "損失 {n} 子", "{side} wins by {n} discs": "{side}勝 {n} 子",
  "Solved from ply {n}: {result}.": "從第 {n} 手起已精確求解：{result}。", "disc difference": "棋子差", "luck: up is good for {side}": "運氣：向上對{side}有利",
  "Experiments": "實驗", "experiment": "實驗", "question": "問題", "Results": "結果", "Verdicts": "判定", "Confirmed": "證實", "Refuted": "推翻", "Undecided": "未定",
  "± 95 %": "± 95 %", "report: score": "報告：得分", "report: games": "報告：局數", "report": "報告", "score of the first player": "第一位選手的得分",
  "Start a match here or on the command line; it appears automatically.": "可在這裡開始，或在終端機下指令：會自動出現在此。", "progress": "進度", "state": "狀態",
  "EinStein würfelt nicht!": "愛恩斯坦棋", "EinStein würfelt nicht!, cyclic die": "愛恩斯坦棋：循環骰", "EinStein würfelt nicht! (Kari)": "愛恩斯坦棋（Kari）", "Othello": "黑白棋", "Connect Four": "四子棋",
  "5×5, 6 cubes per side, a fair die: reach the far corner or capture all": "5×5，每方 6 個方塊，公平骰子：到達對角或吃光對方",
  "6×7, cubes 0–5, 21 dice known to both and repeated: reach the far corner or capture all": "6×7，方塊 0–5,21 個已知並循環的骰子：到達對角或吃光對方",
  "6×6, cubes 0–5, no dice: the smaller number in the far corner wins, or capture all": "6×6，方塊 0–5，無骰子：對角上號碼較小者勝，或吃光對方",
  "8×8: enclose enemy discs to turn them; most discs win": "8×8：夾住對方棋子使其翻面，棋子多者勝", "6×7: four in a line win": "6×7：四子連線者勝",
  "Star2 on the learned evaluation, as deep as the time allows; exact with few cubes": "以學習而得的評估做 Star2 搜尋，時間內盡量深入；方塊少時精確求解",
  "a legal move at random": "隨機走一個合法著手", "UCB over the moves of the position, no tree; the best win rate is played": "只對當前著手做 UCB，不建樹；走勝率最高者",
  "UCB applied to trees; the best win rate is played": "UCT 樹搜尋；走勝率最高者", "the search `negascout` with its defaults": "`negascout` 搜尋，預設參數", "the search `mcts` with its defaults": "`mcts` 搜尋，預設參數",
  "deep alpha-beta on the exact race with the known dice and the worth of squares": "依已知骰子的精確賽跑與格子價值做深層 alpha-beta", "deep alpha-beta on fitted worths of cubes, corners and steps": "依方塊、角與步數的擬合價值做深層 alpha-beta",
  "deep selective alpha-beta on learned patterns, on small boards on squares and moves; exact endings": "依學得的棋形做深層選擇性 alpha-beta，小棋盤依格子與行動力；終盤算到底", "a player of this server": "此伺服器的選手",
  "Level {n}": "第 {n} 級",
  "random moves = 0": "隨機走子 = 0",
  "More": "更多設定",
  "moves at random": "隨機走子",
  "looks one move ahead": "往前看一步",
  "looks two moves ahead": "往前看兩步",
  "looks three moves ahead": "往前看三步",
  "searches 3,000 positions per move": "每手搜尋 3,000 個局面",
  "searches 30,000 positions per move": "每手搜尋 30,000 個局面",
  "searches 300,000 positions per move": "每手搜尋 300,000 個局面",
  "thinks for two seconds per move": "每手思考兩秒",
  "a friend, by link": "朋友（用連結邀請）",
  "engine waits for compilation": "引擎等待編譯",
  "engine is being compiled …": "引擎編譯中 …",
  "engine is loading …": "引擎載入中 …",
  "Rematch": "再來一盤",
  "Accept": "同意",
  "Refuse": "拒絕",
  "Send the link to your opponent.": "請把連結傳給對手。",
  "you are watching": "您正在觀看",
  "take a move back": "悔一手",
  "play again": "再來一盤",
  "Waiting for the answer of the other side …": "等待對方回覆 …",
  "The other side wants to {what}.": "對方想{what}。",
  "{side} had no move and passed.": "{side}沒有合法著手，跳過。",
  "The engine is being prepared; until then a quick search answers.": "引擎準備中；在此之前由快速搜尋回應。",
  "expects to win with {chance}": "預估自己勝率 {chance}",
  "win probability of {side}: {chance}": "{side}勝率 {chance}",
  "expected points of {side}: {points}": "{side}預期得分 {points}",
  "losses by {judge}": "損失依 {judge}",
  "Variations": "變化",
  "Comment": "註解",
  "Delete the branch": "刪除此變化",
  "Return to the game": "回到棋局",
  "A variation; the game went on differently.": "變化圖；實戰並非如此。",
  "Explain": "解說",
  "Try again": "再試一次",
  "Find a better move for {side}.": "請為{side}找出更好的著手。",
  "loses {chance}": "損失 {chance}",
  "After {move}, by roll of the other side": "{move} 之後，依對方的點數",
  "Better:": "較佳：",
  "Refutation:": "對方的應手：",
  "Yes, {move} is the best move.": "正確，{move} 是最佳著手。",
  "{move} is not the best move: try again, or ask for an explanation.": "{move} 不是最佳著手：再試一次，或看解說。",
  "95 % interval": "95 % 信賴區間",
  "Archive": "棋譜庫",
  "all games": "所有遊戲",
  "Position": "局面",
  "Export": "匯出",
  "searching …": "搜尋中 …",
  "the latest {n} games": "最近 {n} 局",
  "{n} games": "{n} 局",
  "date": "日期",
  "a visitor": "訪客",
};

const preferred = () => (navigator.languages ?? [navigator.language]).some((tag, index) => index === 0 && tag.toLowerCase().startsWith("zh"));

let spoken = remembered("language") ?? (preferred() ? "zh" : "en");

export function language() {
  return spoken;
}

export function setLanguage(name) {
  spoken = name;
  remember("language", name);
}

export function t(text, values = {}) {
  const found = language() === "zh" ? CHINESE[text] ?? text : text;
  return found.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// Translate elements with data-t, whose English text is the key, and ARIA labels with data-t-label.
export function translate(root) {
  document.documentElement.lang = language() === "zh" ? "zh-Hant" : "en";
  for (const element of root.querySelectorAll("[data-t]")) {
    element.dataset.t ||= element.textContent;
    element.textContent = t(element.dataset.t);
  }
  for (const element of root.querySelectorAll("[data-t-label]")) element.setAttribute("aria-label", t(element.dataset.tLabel));
}
