// The connection to the server. It comes back by itself, and whoever follows something is asked to follow it again.

import { errorText } from "./errors.js";
import { notice } from "./dom.js";
import { t } from "./words.js";

const LONGEST_WAIT = 8000;

let socket = null;
let number = 0;
let wait = 250;
const waiting = new Map();
const unsent = [];
const followers = new Map(); // kind of push → function
const returns = new Set(); // called whenever the connection is there again

function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/socket`);
  socket.onopen = () => {
    wait = 250;
    showState(true);
    while (unsent.length) socket.send(unsent.shift().text);
    for (const again of returns) again();
  };
  socket.onmessage = (event) => receive(JSON.parse(event.data));
  socket.onclose = () => {
    showState(false);
    // What was asked since then is still to be sent.
    const kept = new Set(unsent.map((message) => message.id));
    for (const [id, { reject }] of waiting) {
      if (kept.has(id)) continue;
      waiting.delete(id);
      reject(new Error(t("the connection was lost")));
    }
    setTimeout(connect, wait);
    wait = Math.min(2 * wait, LONGEST_WAIT);
  };
}

function showState(there) {
  document.getElementById("link-state").textContent = there ? "" : t("connecting …");
  document.documentElement.dataset.connected = there;
}

function receive(message) {
  if (message.push) {
    followers.get(message.push)?.(message);
    return;
  }
  const asked = waiting.get(message.id);
  waiting.delete(message.id);
  if (!asked) return;
  if (message.error) asked.reject(new Error(errorText(message)));
  else asked.resolve(message);
}

// The answer to an action; an error of the server is the error of the promise.
export function ask(action, fields = {}) {
  number += 1;
  const text = JSON.stringify({ ...fields, id: number, do: action });
  const id = number;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    if (socket?.readyState === WebSocket.OPEN) socket.send(text);
    else unsent.push({ id, text });
  });
}

// Like ask; an error is shown to the person, and the answer is null.
export async function tell(action, fields = {}) {
  try {
    return await ask(action, fields);
  } catch (error) {
    notice(error.message);
    return null;
  }
}

export function follow(kind, receiveOne) {
  followers.set(kind, receiveOne);
}

export function whenBack(again) {
  returns.add(again);
  return () => returns.delete(again);
}

connect();
