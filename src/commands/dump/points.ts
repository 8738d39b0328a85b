/**
 * A wallet must have what its user was given and sent, less what the user sent. D1 gives its tables
 * one after the other, so a dump may have only one side of a transfer in between.
 */
import type { DumpedTable, Value } from "../../operate/dump/dump-tables.ts";

/** Tables of `src/identity/books-store.ts`. */
export const POINTS_TABLES: readonly string[] = ["auth_transfers", "auth_gifts", "auth_wallets"];

export class Points {
  readonly #over = new Map<string, number>();

  add({ name, columns }: Pick<DumpedTable, "name" | "columns">, rows: readonly Value[][]): void {
    const of = (row: Value[], column: string) => row[columns.indexOf(column)] ?? "";
    for (const row of rows) {
      const [user_id, points] = [String(of(row, "user_id")), Number(of(row, "points"))];
      if (name === "auth_wallets") this.#change(user_id, points);
      else if (name === "auth_gifts") this.#change(user_id, -points);
      else {
        this.#change(user_id, points);
        this.#change(String(of(row, "recipient")), -points);
      }
    }
  }

  #change(user_id: string, points: number): void {
    this.#over.set(user_id, (this.#over.get(user_id) ?? 0) + points);
  }

  wrong(): string[] {
    return [...this.#over].filter(([, points]) => points !== 0).map(([user_id]) => user_id);
  }
}
