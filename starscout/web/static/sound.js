// Optional sounds of moves, dice and the end of a game, made here: no files are loaded.

import { remember, remembered } from "./theme.js";
import { t } from "./words.js";

let context = null;
const button = document.getElementById("sound");
const isOn = () => remembered("sound") === "on";

export function showSoundButton() {
  button.setAttribute("aria-pressed", String(isOn()));
  button.setAttribute("aria-label", t("sound"));
  button.title = t("sound");
}

button.addEventListener("click", () => {
  remember("sound", isOn() ? "off" : "on");
  showSoundButton();
  playSound("move");
});

// A tone that fades away: start and length in seconds, frequency in Hz.
function tone(start, length, frequency, loudness = 0.2, type = "sine") {
  const [oscillator, volume] = [context.createOscillator(), context.createGain()];
  const at = context.currentTime + start;
  oscillator.type = type;
  oscillator.frequency.setValueAtTime(frequency, at);
  oscillator.frequency.exponentialRampToValueAtTime(frequency * 0.7, at + length);
  volume.gain.setValueAtTime(loudness, at);
  volume.gain.exponentialRampToValueAtTime(0.001, at + length);
  oscillator.connect(volume).connect(context.destination);
  oscillator.start(at);
  oscillator.stop(at + length);
}

const SOUNDS = {
  move: () => tone(0, 0.09, 320, 0.3, "triangle"),
  capture: () => { tone(0, 0.09, 320, 0.3, "triangle"); tone(0.05, 0.12, 180, 0.3, "square"); },
  roll: () => [0, 0.06, 0.13, 0.22].forEach((start, index) => tone(start, 0.04, 900 - 120 * index, 0.12, "square")),
  end: () => [392, 494, 587].forEach((frequency, index) => tone(0.12 * index, 0.5, frequency, 0.2)),
};

// `name`: move, capture, roll or end.
export function playSound(name) {
  if (!isOn()) return;
  // Browsers allow sound only after the first click; until then the context stays suspended.
  context ??= new AudioContext();
  context.resume();
  SOUNDS[name]();
}
