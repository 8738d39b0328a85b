/** The delay of the scenarios at a distance; a file of its own, because two processes import it. */

/** Milliseconds from the router to an object and back: an object in another city. */
export const DISTANCE_MS = 20;
