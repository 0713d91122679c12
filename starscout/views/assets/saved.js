// Language and theme buttons of a saved report.

import { showSwitcher } from "./switcher.js";

showSwitcher();
