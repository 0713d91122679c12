// The page's words in Traditional Chinese. The English text is the key; what has no entry stays English.

const CHINESE = {
  "Play": "對弈", "Watch": "觀賽", "Understand": "解析", "See the search": "看搜尋", "Light or dark": "淺色或深色",
  "Skip to the board": "跳到棋盤", "Play a game": "下一盤棋", "Rules": "規則", "Close": "關閉", "Game": "遊戲",
  "two people at this board": "兩人同盤對弈", "How much": "多少", "Level by": "強度依據", "seconds per move": "秒/手",
  "simulations": "次模擬", "plies deep": "層深度", "Opponent": "對手", "Level": "強度", "You are": "您執", "First to move": "先手",
  "Clock": "棋鐘", "Placement": "佈陣", "I choose where my numbers go": "自行安排號碼位置", "Begin": "開始", "none": "無",
  "either": "隨機", "{n} min per side": "每方 {n} 分鐘", "Moves": "著手", "Take back": "悔棋", "Hint": "提示", "Move now": "立即走",
  "Resign": "認輸", "Turn the board": "翻轉棋盤", "Save the game": "儲存棋譜", "Understand this game": "解析這盤棋", "New game": "新的一盤",
  "The opponent cannot go on": "對手無法繼續", "The opponent is getting ready …": "對手準備中 …",
  "Exchange your numbers: click two of your cubes, then begin.": "交換號碼:點選自己的兩個方塊,再按開始。", "Ready?": "準備好了嗎?",
  "your turn": "輪到您", "thinking …": "思考中 …", "You": "您", "expects to win {chance}": "預估勝率 {chance}", "which wins {chance}": "勝率 {chance}",
  "die": "骰子", "then": "接著", "the connection was lost": "連線中斷", "connecting …": "連線中 …",
  "red": "紅方", "blue": "藍方", "black": "黑方", "white": "白方", "yellow": "黃方", "first": "先手", "second": "後手",
  "{side} wins": "{side}獲勝", "{side} to move": "輪到{side}", "A draw": "和局",
  "corner": "到達對角", "captured all": "吃光對方", "discs": "棋子數", "numbers": "號碼", "resigned": "認輸", "timeout": "超時",
  "illegal move": "違規著手", "crash": "程式當掉", "stalled": "沒有回應", "disconnected": "斷線", "adjourned": "未下完", "four in a line": "四子連線", "full board": "棋盤已滿",
  "Understand a game or a position": "解析棋局或局面", "Set up a position": "擺設局面", "Drop a game record here: any format that StarScout reads.": "把棋譜拖到這裡:StarScout 能讀的任何格式。",
  "or choose a file": "或選擇檔案", "Compare two engines": "比較兩個引擎", "Solve exactly": "精確求解", "Exactly": "精確結果",
  "Not solved: {n} plies deep the game is still not over.": "無法求解:搜尋到 {n} 層仍未終局。", "Analyse a position": "分析局面", "Pieces": "棋子",
  "Set up by hand": "自行擺子", "Choose a piece, then click squares; or write the position.": "先選棋子再點格子;或直接輸入局面。", "Show": "顯示", "empty": "空格",
  "A game": "一盤棋", "First ply": "第一手", "Back one ply": "上一手", "Forward one ply": "下一手", "Last ply": "最後一手", "Analyse this position": "分析此局面",
  "luck": "運氣", "lost by moves": "著手損失", "per move": "每手", "very bad": "大錯", "bad": "錯著", "doubtful": "疑問手",
  "very lucky": "非常幸運", "lucky": "幸運", "very unlucky": "非常不幸", "unlucky": "不幸", "loses {chance}, better is {move}": "損失 {chance},{move} 較佳", "the best move": "最佳著手",
  "nobody wins": "無人獲勝", "measured by": "量測方式", "luck by {meter}, losses by {judge}": "運氣依 {meter},損失依 {judge}", "a player looks deeper …": "引擎正在深入分析 …", "{side} gained {chance} by better moves": "{side}靠較好的著手多得 {chance}", "{side} was luckier by {chance}": "{side}運氣較好,多得 {chance}",
  "The chance of {side} at every ply": "{side}每一手的勝率", "ply": "手數", "Who thinks": "思考者", "How long": "多久", "Think": "思考", "Stop": "停止", "{n} plies": "{n} 層",
  "nodes": "節點", "wins {chance}": "勝率 {chance}", "line": "主變化", "proven": "已證明", "pruned at {n}": "於第 {n} 次剪除",
};

const preferred = () => (navigator.languages ?? [navigator.language]).some((tag, index) => index === 0 && tag.toLowerCase().startsWith("zh"));

export function language() {
  return localStorage.getItem("language") ?? (preferred() ? "zh" : "en");
}

export function setLanguage(name) {
  localStorage.setItem("language", name);
}

export function t(text, values = {}) {
  const found = language() === "zh" ? CHINESE[text] ?? text : text;
  return found.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// Elements with data-t keep their English text as the key; data-t-label is for labels that are only spoken.
export function translate(root) {
  document.documentElement.lang = language() === "zh" ? "zh-Hant" : "en";
  for (const element of root.querySelectorAll("[data-t]")) {
    element.dataset.t ||= element.textContent;
    element.textContent = t(element.dataset.t);
  }
  for (const element of root.querySelectorAll("[data-t-label]")) element.setAttribute("aria-label", t(element.dataset.tLabel));
}
