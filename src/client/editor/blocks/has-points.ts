/** This service may have no points. */
export const has_points = document.getElementById("editor")?.dataset.points !== undefined;
