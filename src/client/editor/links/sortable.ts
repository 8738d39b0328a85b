/**
 * The library for dragging, as a file of its own: it is a fifth of the editor's script, and is not
 * needed before the panel is there.
 */
import Sortable, { AutoScroll } from "sortablejs/modular/sortable.core.esm.js";

Sortable.mount(new AutoScroll());

export { Sortable };
