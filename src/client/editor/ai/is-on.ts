/** The service has an endpoint for suggestions (`AI_URL`); without one nothing of them is shown. */
export const has_suggestions = document.getElementById("editor")?.dataset.ai !== undefined;
