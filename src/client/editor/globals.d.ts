/**
 * The build makes a script for each language and puts the language here. Texts are written as
 * `LOCALE === "ar" ? {…} : {…}`, so that each script has those of its own language only: the
 * bundler drops a branch whose condition is decided in its file.
 */
declare const LOCALE: "ar" | "en";
