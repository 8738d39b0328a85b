/** The build of the library without its plugins has no types of its own. */
declare module "sortablejs/modular/sortable.core.esm.js" {
  import Sortable, { AutoScroll } from "sortablejs";

  export default Sortable;
  export { AutoScroll };
}
