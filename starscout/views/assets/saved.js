// A saved view: its language and its theme can still be changed.

import { showSwitcher } from "./switcher.js";

showSwitcher();
