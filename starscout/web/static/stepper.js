// A slider with buttons to step through something, or to play it.

import { h } from "./dom.js";
import { t } from "./words.js";

export class Stepper {
  // onStep(number) shows step 0 to `last`; `interval` is the time of one step in milliseconds while playing.
  constructor(onStep, { interval = 700 } = {}) {
    this.onStep = onStep;
    this.interval = interval;
    this.last = 0;
    this.now = 0;
    this.timer = 0;
    const button = (name, label, sign, action) => h("button", { type: "button", class: "small", "data-do": name, "aria-label": t(label), onclick: action }, sign);
    this.slider = h("input", { type: "range", min: "0", max: "0", value: "0", "aria-label": t("step_title"), oninput: () => this.go(Number(this.slider.value)) });
    this.player = button("play-steps", "play_the_steps", "▶", () => (this.timer ? this.pause() : this.play()));
    this.element = h("div", { class: "stepper" }, button("step-first", "first_step", "|◀", () => this.go(0)), button("step-back", "back_one_step", "◀", () => this.go(this.now - 1)), this.player,
      button("step-on", "forward_one_step", "▶", () => this.go(this.now + 1)), button("step-last", "last_step", "▶|", () => this.go(this.last)), this.slider);
    this.player.textContent = "▶▶";
  }

  // Set the number of the last step. A stepper that stands at the last step follows it.
  extend(last) {
    const follow = this.now === this.last;
    this.last = last;
    this.slider.max = String(last);
    if (follow) this.go(last, { keep: true });
  }

  reset() {
    this.pause();
    this.last = this.now = 0;
    this.slider.max = this.slider.value = "0";
  }

  go(number, { keep = false } = {}) {
    if (!keep) this.pause();
    this.now = Math.min(this.last, Math.max(0, number));
    this.slider.value = String(this.now);
    this.onStep(this.now);
  }

  play() {
    if (this.now === this.last) this.now = -1;
    this.player.textContent = "❚❚";
    this.player.setAttribute("aria-label", t("pause"));
    const tick = () => {
      if (this.now >= this.last) {
        this.pause();
        return;
      }
      this.go(this.now + 1, { keep: true });
      this.timer = setTimeout(tick, this.interval);
    };
    tick();
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.player.textContent = "▶▶";
    this.player.setAttribute("aria-label", t("play_the_steps"));
  }
}
