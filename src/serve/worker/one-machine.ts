/** The module around the bundle where the service runs on one machine: what the platform has around a Worker. */
import * as sila from "sila";
import { withEdgeCache } from "./edge-cache.ts";

export * from "sila";
export { default } from "sila";

export class PageRenderer extends withEdgeCache(sila.PageRenderer) {}
