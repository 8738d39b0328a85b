import { giveGift } from "../../src/identity/books-store.ts";
import { addUser, findUser } from "../../src/identity/users-store.ts";
import { DEMO_OWNER } from "./data.ts";
import { DEMO_PEOPLE } from "./people.ts";

/** Safe to run at every start: it changes no account that exists, gives points once, and brings nobody back. */
export async function seedPeople(db: D1Database, now_ms: number): Promise<void> {
  for (const { user, points } of DEMO_PEOPLE) {
    const deleted = db.prepare("SELECT 1 FROM deleted_users WHERE user_id = ?1").bind(user.id);
    if ((await deleted.first()) !== null) continue;
    if ((await findUser(db, user.id)) === null) {
      await addUser(db, { ...user, is_operator: user.id === DEMO_OWNER }, now_ms).run();
    }
    const note = "رصيد تجريبي · points of the demo";
    const gift = { key: `demo-points-${user.id}`, user_id: user.id, points, note };
    await giveGift(db, { ...gift, by_id: DEMO_OWNER }, now_ms);
  }
}
