// A view of the Watch tab for a screen on a wall: the current game, progress and standings in large type.

import { showView } from "./watch.js";

export function show(place, [kind, number]) {
  document.documentElement.dataset.wall = "";
  const leave = showView(place, `${kind}/${number}`, { wall: true });
  return () => {
    delete document.documentElement.dataset.wall;
    leave();
  };
}
