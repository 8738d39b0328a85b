/** The rules of the hub's side of docs/contract.md section 8, in the order in which they are judged. */
import { randomBytes } from "node:crypto";
import * as z from "zod/mini";
import { HubSession } from "../../src/accounts/hub-answers.ts";
import { SESSION_COOKIE_CHARS_MAX, WEBHOOK_TOLERANCE_S } from "../../src/accounts/limits.ts";
import {
  type Answer,
  atOnce,
  Broken,
  demand,
  demandRefusal,
  held,
  newKey,
  read,
  type Session,
  type Signing,
  type Trial,
  unlike,
} from "./trial.ts";

export interface Rule {
  name: string;
  needs: readonly string[];
  /** @throws {Broken} where the hub breaks the rule */
  check(trial: Trial): Promise<void>;
}

/** The accounts are not such that the rules can be judged. */
export class Unfit extends Error {}

/** Points that the first user needs: all rules but the last move half of them. */
export const POINTS_MIN = 60;
const CROWD = 20;
/** A close meets its transfer so often, in every order: a race does not show each time. */
const MEETINGS = 20;

const Made = z.object({ id: z.string(), status: z.literal("completed") });
const Closed = z.discriminatedUnion("status", [Made, z.object({ status: z.literal("void") })]);

const TELLS = "a session tells its user, and until when it lasts";
const WALLET = "a wallet tells its points as integers";
const MOVES = "a transfer moves its points from the one wallet to the other";
const COMPLETED = "the close of a transfer that was made is completed, with its id";
const AT_ONCE = "transfers at once never spend more than there is";
const LOGOUT = "a session that was logged out is over for good, and no other one";

export const RULES: readonly Rule[] = [
  rule("a hub that is up says so", [], async (trial) => demand(await trial.get("/health"), 200)),

  rule(TELLS, [], async (trial) => {
    for (const user of [trial.sender, trial.recipient]) {
      user.id = read(await trial.get("/api/session", user.session), 200, HubSession).user.id;
    }
    if (trial.sender.id === trial.recipient.id) {
      throw new Unfit("HUB_SESSION and HUB_OTHER_SESSION are of one user; there must be two");
    }
  }),

  rule("no cookie, and an empty, unknown or overlong one sign nobody in", [], (trial) =>
    refusesStrangers(trial, (stranger) => trial.get("/api/session", stranger)),
  ),

  rule(WALLET, [TELLS], async (trial) => {
    trial.recipient.held_before = held(await trial.wallet(trial.recipient));
    const { points } = await trial.wallet(trial.sender);
    if (points >= POINTS_MIN) return;
    throw new Unfit(`the user of HUB_SESSION has ${points} points and needs ${POINTS_MIN}`);
  }),

  rule("nobody's wallet is told to those who are not signed in", [], (trial) =>
    refusesStrangers(trial, (stranger) => trial.get("/api/wallet", stranger)),
  ),

  moving(MOVES, [WALLET], async (trial) => {
    read(await trial.transfer(newKey(), 1), 201, Made);
    return 1;
  }),

  moving("a transfer that is repeated with its key moves points once", [MOVES], async (trial) => {
    const key = newKey();
    demandOne([await trial.transfer(key, 1), await trial.transfer(key, 1)]);
    return 1;
  }),

  moving(`${CROWD} transfers at once with one key move points once`, [MOVES], async (trial) => {
    const key = newKey();
    demandOne(await crowd(() => trial.transfer(key, 1)));
    return 1;
  }),

  moving(
    "a key that was used is refused for another amount or recipient",
    [MOVES],
    async (trial) => {
      const key = newKey();
      read(await trial.transfer(key, 1), 201, Made);
      demand(await trial.transfer(key, 2), 409, 410);
      // A hub may look at the recipient first.
      demandRefusal(await trial.transfer(key, 1, { to: trial.sender.id }));
      return 1;
    },
  ),

  moving("the keys of two users are apart", [MOVES], async (trial) => {
    const { sender, recipient } = trial;
    const [used, closed] = [newKey(), newKey()];
    read(await trial.transfer(used, 2), 201, Made);
    // What arrived may be pending, and then cannot be spent.
    const { points } = await trial.wallet(recipient);
    if (points > 0) read(await trial.giveBack(used, 1), 201, Made);
    else demandStatus(await trial.close(recipient.id, used), "void");
    demandStatus(await trial.close(recipient.id, closed), "void");
    read(await trial.transfer(closed, 1), 201, Made);
    demandStatus(await trial.close(sender.id, closed), "completed");
    return points > 0 ? 2 : 3;
  }),

  moving("more points than the user has are refused, and none moves", [MOVES], async (trial) => {
    const { points } = await trial.wallet(trial.sender);
    demand(await trial.transfer(newKey(), points + 1), 402);
    return 0;
  }),

  moving("those who are not signed in move nothing", [MOVES], async (trial) => {
    await refusesStrangers(trial, (session) => trial.transfer(newKey(), 1, {}, { session }));
    return 0;
  }),

  moving("a malformed transfer is refused and moves nothing", [MOVES], async (trial) => {
    const nobody = { to: newKey() };
    const malformed = [undefined, 0, -1, 0.5].map((points) => ({ points }));
    for (const order of [nobody, { to: undefined }, ...malformed]) {
      demandRefusal(await trial.transfer(newKey(), 1, order));
    }
    demandRefusal(await trial.transfer(newKey(), 1, {}, { body: "not JSON" }));
    demandRefusal(await trial.transfer(undefined, 1));
    return 0;
  }),

  moving(COMPLETED, [MOVES], async (trial) => {
    const key = newKey();
    const { id } = read(await trial.transfer(key, 1), 201, Made);
    for (let times = 0; times < 2; times++) {
      demandStatus(await trial.close(trial.sender.id, key), "completed", id);
    }
    return 1;
  }),

  moving(
    "a key without a transfer is closed as void, and refused from then on",
    [MOVES],
    async (trial) => {
      const key = newKey();
      for (let times = 0; times < 2; times++) {
        demandStatus(await trial.close(trial.sender.id, key), "void");
        demand(await trial.transfer(key, 1), 409, 410);
      }
      return 0;
    },
  ),

  moving(
    "a close that meets its transfer is completed, or void and the transfer refused",
    [COMPLETED],
    async (trial) => {
      let moved = 0;
      for (let n = 0; n < MEETINGS; n++) {
        const key = newKey();
        const close = () => trial.close(trial.sender.id, key);
        const transfer = () => trial.transfer(key, 1);
        const orders = [
          [close, transfer],
          [transfer, close],
          [close, transfer, close],
        ];
        const requests = orders[n % orders.length] ?? [];
        const answers = await atOnce(requests);
        const made = answers[requests.indexOf(transfer)];
        if (made === undefined) throw new Error("there is a transfer in each round");
        demand(made, 201, 409, 410);
        const id = made.status === 201 ? read(made, 201, Made).id : undefined;
        for (const closed of [...answers.filter((answer) => answer !== made), await close()]) {
          demandStatus(closed, id === undefined ? "void" : "completed", id);
        }
        if (id !== undefined) moved++;
      }
      return moved;
    },
  ),

  moving(
    "a close that is not signed with the secret, now, closes nothing",
    [MOVES],
    async (trial) => {
      const user_id = trial.sender.id;
      const body = JSON.stringify({ user_id, key: newKey() });
      const late_s = 2 * WEBHOOK_TOLERANCE_S;
      const forgeries: [how: string, signing: Signing | null][] = [
        ["not signed", null],
        ["signed with another secret", { secret: `whsec_${randomBytes(32).toString("base64")}` }],
        ["with the signature of another body", { body }],
        [`signed ${late_s} s ago`, { age_s: late_s }],
        [`signed ${late_s} s from now`, { age_s: -late_s }],
      ];
      for (const [how, signing] of forgeries) {
        const key = newKey();
        const answer = await trial.close(user_id, key, signing);
        const asked = `${answer.asked}, ${how}`;
        demandRefusal({ ...answer, asked });
        const after = await trial.transfer(key, 1);
        read({ ...after, asked: `${asked}, and then ${after.asked}` }, 201, Made);
      }
      return forgeries.length;
    },
  ),

  moving(AT_ONCE, [MOVES], async (trial) => {
    const { points } = await trial.wallet(trial.sender);
    // Three of them fit.
    const part = Math.floor(points / 4) + 1;
    const answers = await crowd(() => trial.transfer(newKey(), part));
    for (const answer of answers) demand(answer, 201, 402);
    const moved = answers.filter(({ status }) => status === 201).length * part;
    if (points - moved < part) return moved;
    throw new Broken(
      `of ${points} points ${moved} moved, and more transfers of ${part} were 402 though they fit`,
    );
  }),

  moving("a user can send all that they have", [AT_ONCE], async (trial) => {
    const { points } = await trial.wallet(trial.sender);
    read(await trial.transfer(newKey(), points), 201, Made);
    return points;
  }),

  moving("what has arrived can be sent on", [MOVES], async (trial) => {
    const wallet = await trial.wallet(trial.recipient);
    // What is pending cannot be spent yet.
    const back = Math.min(wallet.points, held(wallet) - trial.recipient.held_before);
    if (back <= 0) return 0;
    read(await trial.giveBack(newKey(), back), 201, Made);
    return -back;
  }),

  rule(LOGOUT, [TELLS], async (trial) => {
    const { session } = trial.sender;
    demand(await trial.post("/api/logout", { session }), 204);
    demand(await trial.get("/api/session", session), 401);
    demand(await trial.post("/api/logout", { session }), 204, 401);
    demand(await trial.get("/api/session", session), 401);
    demand(await trial.get("/api/session", trial.recipient.session), 200);
  }),

  rule(
    "a session that is over reads no wallet and moves nothing",
    [LOGOUT, MOVES],
    async (trial) => {
      demand(await trial.get("/api/wallet", trial.sender.session), 401);
      demand(await trial.transfer(newKey(), 1), 401);
    },
  ),
];

function rule(name: string, needs: readonly string[], check: Rule["check"]): Rule {
  return { name, needs, check };
}

function moving(
  name: string,
  needs: readonly string[],
  check: (trial: Trial) => Promise<number>,
): Rule {
  return rule(name, needs, (trial) => trial.moves(() => check(trial)));
}

const crowd = (ask: () => Promise<Answer>) => atOnce(Array.from({ length: CROWD }, () => ask));

/** Asks as those who are not signed in; what they send is made of a session that is valid. */
async function refusesStrangers(
  { sender }: Trial,
  ask: (stranger: Session) => Promise<Answer>,
): Promise<void> {
  const { value } = sender.session;
  const wrong = (value.startsWith("A") ? "B" : "A") + value.slice(1);
  for (const stranger of [
    { name: "no cookie" },
    { name: "an empty cookie", value: "" },
    { name: "a session that nobody has", value: wrong },
    { name: "an overlong cookie", value: value.padEnd(SESSION_COOKIE_CHARS_MAX + 1, "x") },
  ]) {
    demand(await ask(stranger), 401);
  }
}

/** Of one transfer that was asked for several times: the others may be refused as repeated. */
function demandOne(answers: readonly Answer[]): void {
  for (const answer of answers) demand(answer, 201, 409, 410);
  const made = answers.filter(({ status }) => status === 201);
  const ids = new Set(made.map((answer) => read(answer, 201, Made).id));
  if (ids.size === 1) return;
  throw new Broken(`${answers[0]?.asked}: ${ids.size} ids in ${answers.length} answers, not 1`);
}

/** The answer to a close; any id will do without one. */
function demandStatus(answer: Answer, status: "completed" | "void", id?: string): void {
  const closed = read(answer, 200, Closed);
  const told = closed.status === "completed" ? closed.id : undefined;
  if (closed.status === status && (id === undefined || told === id)) return;
  throw unlike(answer, id === undefined ? status : `${status} with ${id}`);
}
