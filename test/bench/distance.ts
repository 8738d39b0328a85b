/** How far the objects are in the scenarios at a distance; in a file of its own, read on both sides of the wire. */

/** Milliseconds from the router to an object and back: another city, or a part of the world without its own. */
export const DISTANCE_MS = 20;
