/** Whether this service has points. */
export const has_points = document.getElementById("editor")?.dataset.points !== undefined;
