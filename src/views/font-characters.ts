/** The characters in the subsets of bio pages, and others that pages' pictures can show. */

/** `last` is included. */
export const range = (first: number, last: number) =>
  String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, i) => first + i));

/** Letters, harakat, digits, punctuation, and the letters Arabic borrows (پ چ ڤ ک گ ی). */
export const ARABIC = [
  " \u060c\u061b\u061f",
  range(0x0621, 0x063a),
  range(0x0640, 0x0652),
  range(0x0660, 0x066c),
  "\u0670\u0671\u067e\u0686\u06a4\u06a9\u06af\u06cc",
  "\u200c\u200d",
].join("");

export const LATIN = `${range(0x20, 0x7e)}\u00a0\u00ab\u00b7\u00bb\u2013\u2014\u2018\u2019\u201c\u201d\u2022\u2026`;
export const LATIN_WITH_ACCENTS = `${LATIN}ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ©€`;

/** Letters of other languages: Persian, Urdu, Kurdish; Turkish, Polish and so on. */
export const MORE_ARABIC = [
  range(0x0621, 0x063f),
  range(0x0641, 0x065f),
  range(0x0660, 0x066d),
  range(0x066e, 0x06a1),
  range(0x06a3, 0x06d5),
  range(0x06ee, 0x06ff),
  range(0x0750, 0x077f),
].join("");
export const MORE_LATIN = [
  range(0x00c0, 0x00d6),
  range(0x00d8, 0x00f6),
  range(0x00f8, 0x0130),
  range(0x0132, 0x0151),
  range(0x0154, 0x017e),
].join("");
