/** Loaded as its own file: a fifth of the script, not needed before the panel is there. */
import Sortable, { AutoScroll } from "sortablejs/modular/sortable.core.esm.js";

Sortable.mount(new AutoScroll());

export { Sortable };
