// The summary of a review as a picture to share, drawn by the server in the language of the page.

import { h, percent } from "./dom.js";
import { requestOrNotify } from "./socket.js";
import { fromServer, t } from "./words.js";

export function shareButtons(review, key, ending) {
  const draw = async () => {
    const sides = review.sides.map((side) => fromServer(side));
    const names = review.names.map((name, number) => (review.players[number] === review.sides[number] ? sides[number] : t("colon", { head: sides[number], rest: name })));
    return (await requestOrNotify("card", {
      key, first: names[0], second: names[1], title: fromServer(review.title), headline: capital(headline(review)), result: capital(ending()),
      luck: t("luck"), mistakes: t("loss_by_mistakes"), chart: t("win_probability_of_side_at_every_ply", { side: sides[0] }),
    }))?.svg;
  };
  const asSvg = async () => {
    const svg = await draw();
    if (svg) save(`data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`, "review.svg");
  };
  const asPng = async () => {
    const svg = await draw();
    if (svg) save(await pngOf(svg), "review.png");
  };
  return h("div", { class: "row" }, h("span", { class: "small faint" }, t("save_picture")),
    h("button", { class: "small", "data-do": "card-png", onclick: asPng }, "PNG"), h("button", { class: "small", "data-do": "card-svg", onclick: asSvg }, "SVG"));
}

// What the loser, or the first side after a draw, lost to dice and to moves, compared with the other side.
function headline(review) {
  const loser = review.winner === null ? 0 : 1 - review.winner;
  const [own, other] = [review.totals[loser], review.totals[1 - loser]];
  const [luck, skill] = [other.luck - own.luck, own.loss - other.loss];
  const values = { side: fromServer(review.sides[loser]), luck: percent(Math.abs(luck), 0), skill: percent(Math.abs(skill), 0) };
  if (!review.dice) return t(skill >= 0 ? "lost_to_moves" : "gained_by_moves", values);
  if (luck >= 0) return t(skill >= 0 ? "lost_to_dice_and_moves" : "lost_to_dice_only", values);
  return t(skill >= 0 ? "lost_to_moves_only" : "gained_by_both", values);
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

async function pngOf(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = h("canvas");
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL("image/png");
}

function save(href, name) {
  h("a", { href, download: name }).click();
}
