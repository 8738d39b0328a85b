/** One result of `npm run doctor`. */
export interface Finding {
  /** `note`: nothing is wrong, but one should know. */
  state: "ok" | "wrong" | "note";
  what: string;
  advice?: string;
}

export const ok = (what: string): Finding => ({ state: "ok", what });
export const note = (what: string, advice?: string): Finding => finding("note", what, advice);
export const wrong = (what: string, advice: string): Finding => finding("wrong", what, advice);

function finding(state: Finding["state"], what: string, advice?: string): Finding {
  return advice === undefined ? { state, what } : { state, what, advice };
}
