// The pages of a ladder: upload, reloading of live pages, and confirmation of the teacher's actions.

import { showSwitcher } from "/static/switcher.js";
import { fromServer, t, translate } from "/static/words.js";

showSwitcher();

const REFRESH_MILLISECONDS = 5000;
const POLL_MILLISECONDS = 1000;

const form = document.getElementById("upload");
if (form) {
  const status = document.getElementById("upload-status");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const file = form.elements.file.files[0];
    if (!file) return;
    form.elements.send.disabled = true;
    status.textContent = t("sending");
    try {
      const game = encodeURIComponent(form.elements.game.value);
      const answer = await fetch(`/submit/${encodeURIComponent(file.name)}?game=${game}`, { method: "PUT", body: file });
      const found = await answer.json();
      if (!answer.ok) throw new Error(found.error);
      status.textContent = t("building_and_checking");
      await watch(found.submission, status);
    } catch (error) {
      status.textContent = error.message;
    }
    form.elements.send.disabled = false;
  });
}

async function watch(number, status) {
  for (;;) {
    const answer = await fetch(`/api/submissions/${number}`);
    const found = await answer.json();
    if (found.status === "accepted" || found.status === "rejected") {
      status.textContent = fromServer(found.status) + (found.reason ? `: ${found.reason}` : "");
      const transcript = document.getElementById("transcript");
      transcript.textContent = found.transcript;
      transcript.hidden = !found.transcript;
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
  }
}

for (const button of document.querySelectorAll("[data-confirm]")) {
  button.addEventListener("click", (event) => {
    if (!confirm(fromServer(button.dataset.confirm))) event.preventDefault();
  });
}

// Replace the live part of a page while it is visible.
const live = document.querySelector("[data-live]");
if (live) {
  setInterval(async () => {
    if (document.hidden) return;
    const answer = await fetch(live.dataset.live).catch(() => null);
    if (!answer || !answer.ok) return;
    const text = await answer.text();
    if (live.dataset.seen === text) return;
    live.dataset.seen = text;
    live.innerHTML = text;
    translate(live);
  }, REFRESH_MILLISECONDS);
}
