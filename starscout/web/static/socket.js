// The WebSocket to the server. It reconnects automatically and then notifies subscribers.

import { errorText } from "./errors.js";
import { showNotice } from "./dom.js";
import { t } from "./words.js";

const LONGEST_WAIT = 8000;

let socket = null;
let number = 0;
let wait = 250;
const waiting = new Map();
const unsent = [];
const subscribers = new Map(); // kind of push → function
const reconnectHandlers = new Set(); // called after every reconnection

function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/socket`);
  socket.onopen = () => {
    wait = 250;
    showState(true);
    while (unsent.length) socket.send(unsent.shift().text);
    for (const again of reconnectHandlers) again();
  };
  socket.onmessage = (event) => receive(JSON.parse(event.data));
  socket.onclose = () => {
    showState(false);
    // Messages that were not sent yet stay queued.
    const kept = new Set(unsent.map((message) => message.id));
    for (const [id, { reject }] of waiting) {
      if (kept.has(id)) continue;
      waiting.delete(id);
      reject(new Error(t("connection_lost")));
    }
    setTimeout(connect, wait);
    wait = Math.min(2 * wait, LONGEST_WAIT);
  };
}

function showState(there) {
  document.getElementById("link-state").textContent = there ? "" : t("connecting");
  document.documentElement.dataset.connected = there;
}

function receive(message) {
  if (message.push) {
    subscribers.get(message.push)?.(message);
    return;
  }
  const asked = waiting.get(message.id);
  waiting.delete(message.id);
  if (!asked) return;
  if (message.error) asked.reject(new Error(errorText(message)));
  else asked.resolve(message);
}

// Send an action and return its answer; an error of the server rejects the promise.
export function request(action, fields = {}) {
  number += 1;
  const text = JSON.stringify({ ...fields, id: number, do: action });
  const id = number;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    if (socket?.readyState === WebSocket.OPEN) socket.send(text);
    else unsent.push({ id, text });
  });
}

// Like request, but show errors to the user and return null.
export async function requestOrNotify(action, fields = {}) {
  try {
    return await request(action, fields);
  } catch (error) {
    showNotice(error.message);
    return null;
  }
}

export function subscribe(kind, handler) {
  subscribers.set(kind, handler);
}

export function onReconnect(again) {
  reconnectHandlers.add(again);
  return () => reconnectHandlers.delete(again);
}

connect();
