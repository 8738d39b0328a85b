/**
 * Rules of the routers' rooms, broken on purpose in likely ways: a test of `caught_by` must fail with each. Nothing
 * here is drawn (`drawn-mutants.ts`): each is a mistake that somebody could make and that no type forbids.
 */
import type { Break } from "./breaks.ts";

export interface RoomMutant extends Break {
  /** The test file that notices; null where none does. */
  caught_by: string | null;
}

export const ROOM_MUTANTS: Record<string, RoomMutant> = {
  "live numbers for a page of another site": {
    file: "src/stats/stats-route.ts",
    from: `  if (origin !== undefined && origin !== new URL(c.req.url).origin) throw new ApiError("FORBIDDEN");\n`,
    to: "",
    caught_by: "test/workers/page/live.test.ts",
  },
  "a webhook of the hub whose signature nobody checks": {
    file: "src/accounts/webhook-route.ts",
    from: "const id = await verifyWebhook(HUB_WEBHOOK_SECRET, c.req.raw.headers, body, now);",
    to: `const id = c.req.raw.headers.get("webhook-id") ?? "";`,
    caught_by: "test/workers/accounts/webhooks.test.ts",
  },
  "webhooks to the machine of a service that others reach": {
    file: "objects/platform/local-setting.ts",
    from: " && isHere;",
    to: ";",
    caught_by: "test/plain/blocks/webhooks-address.test.ts",
  },
  "sign-ups that the day's limit does not count": {
    file: "src/blocks/newsletter/newsletter-route.ts",
    from: "  await chargeSignUp(c);\n",
    to: "",
    caught_by: "test/workers/blocks/newsletter.test.ts",
  },
  "sign-ups that the day's limit of a /48 does not count": {
    file: "src/blocks/newsletter/newsletter-route.ts",
    from: "if (network !== sender) parts.push(",
    to: "if (network === sender) parts.push(",
    caught_by: "test/workers/blocks/newsletter-flood.test.ts",
  },
  "a mailbox for each of its spellings": {
    file: "objects/mail/mailbox.ts",
    from: `email.toLowerCase().replace(/\\+.*@/, "@")`,
    to: "email.toLowerCase()",
    caught_by: "test/workers/blocks/newsletter-flood.test.ts",
  },
  "a download link of a page that was taken down": {
    file: "src/blocks/files/download-link-route.ts",
    from: `  if (page.status === "suspended") throw new ApiError("PAGE_SUSPENDED");\n`,
    to: "",
    caught_by: "test/workers/blocks/downloads.test.ts",
  },
  "an export without what no flush has brought to D1": {
    file: "src/authoring/transfer/export-route.ts",
    from: `  await callDependency("export_failed", () => object.flush());\n`,
    to: "",
    caught_by: "test/workers/authoring/transfer/transfer-export.test.ts",
  },
  "a landing page that a cache keeps in the first reader's language": {
    file: "src/site/site-route.ts",
    from: `fixed === undefined && "Accept-Language"`,
    to: "false",
    caught_by: "test/workers/site/site.test.ts",
  },

  "a day that is read beside its month": {
    file: "src/stats/stats-store.ts",
    from: "ORDER BY month DESC LIMIT 1), 0)",
    to: "ORDER BY month LIMIT 1), 0)",
    caught_by: "test/workers/page/months.test.ts",
  },
  "a late event that its month never has": {
    file: "objects/page/tables/months.ts",
    from: "if (day < (this.#next?.until ?? this.#to)) this.#sendFrom(tx, Math.min(day, this.#to));",
    to: "",
    caught_by: "test/workers/page/months.test.ts",
  },
  "values of a breakdown as long as they come": {
    file: "objects/page/tables/breakdowns.ts",
    from: "return Math.ceil((bytes * BREAKDOWN_VALUES_MAX) / BREAKDOWN_BYTES_MAX);",
    to: "return Math.min(1, bytes);",
    caught_by: "test/workers/page/months.test.ts",
  },

  "a body that is refused at its limit": {
    file: "src/http/body.ts",
    from: "bytes.length > max_bytes)",
    to: "bytes.length >= max_bytes)",
    caught_by: "test/workers/counting/routes.test.ts",
  },
  "a Retry-After that is rounded to the nearest second": {
    file: "src/http/too-many.ts",
    from: "Math.ceil(ms / SECOND_MS)",
    to: "Math.round(ms / SECOND_MS)",
    caught_by: "test/workers/limiter/limits.test.ts",
  },
  "a limit for each address of a subscriber's /64": {
    file: "src/http/sender.ts",
    from: "const PREFIX_GROUPS = 4;",
    to: "const PREFIX_GROUPS = 8;",
    caught_by: "test/workers/http/spellings.test.ts",
  },
  "a sender's first admission that stays beside its window": {
    file: "objects/limiter/window-table.ts",
    from: "    if (!Number.isNaN(this.#times[place])) this.#times[place] = MOVED;\n",
    to: "",
    caught_by: "test/workers/limiter/window-table.test.ts",
  },
  "tips without a limit while the limiter fails": {
    file: "src/http/limits.ts",
    from: `new Set<Scope>(["auth", "tip", "newsletter"])`,
    to: `new Set<Scope>(["auth", "newsletter"])`,
    caught_by: "test/workers/limiter/limits.test.ts",
  },
  "an error that a cache keeps in the first reader's form and language": {
    file: "src/http/error-answer.tsx",
    from: `  c.header("Vary", "Accept, Accept-Language");\n`,
    to: "",
    caught_by: "test/workers/http/error-answer.test.ts",
  },
  "an outcome that scripts of other sites cannot read": {
    file: "src/http/cors.ts",
    from: `  "Access-Control-Expose-Headers": EXPOSED_HEADERS,\n`,
    to: "",
    caught_by: "test/workers/counting/routes.test.ts",
  },

  "a repeated transfer that takes points again": {
    file: "src/identity/books-store.ts",
    from: "AND EXISTS (SELECT 1 FROM auth_transfers WHERE user_id = ?1 AND key = ?2 AND id = ?3)",
    to: "AND EXISTS (SELECT 1 FROM auth_transfers WHERE user_id = ?1 AND key = ?2 AND id <> '')",
    caught_by: "test/workers/identity/books.test.ts",
  },
  "a transfer with a closed key": {
    file: "src/identity/books-store.ts",
    from: "WHERE NOT EXISTS (SELECT 1 FROM auth_closed_keys WHERE user_id = ?1 AND key = ?2)",
    to: "WHERE TRUE",
    caught_by: "test/workers/identity/books.test.ts",
  },
  "a gift that is given again with its form": {
    file: "src/identity/books-store.ts",
    from: "FROM auth_gifts WHERE key = ?1 AND id = ?2",
    to: "FROM auth_gifts WHERE key = ?1 AND id <> ''",
    caught_by: "test/workers/identity/books.test.ts",
  },
  "points that vanish with their user without a trace": {
    file: "src/identity/books-store.ts",
    from: "WHERE user_id = ?1 AND points > 0",
    to: "WHERE FALSE",
    caught_by: "test/workers/identity/books.test.ts",
  },

  "a click over the limit that counts as a person's": {
    file: "src/counting/clicks.ts",
    from: "const given = limited ? limitedEvent(event) : event;",
    to: "const given = event;",
    caught_by: "test/workers/counting/routes.test.ts",
  },
  "a prefetch that counts as a person": {
    file: "src/counting/automatic-requests.ts",
    from: `return RULES.some(([header, says]) => says.test(headers.get(header) ?? ""));`,
    to: "return headers === undefined;",
    caught_by: "test/workers/counting/counting.test.ts",
  },
  "a view whose id hides a click": {
    file: "src/counting/record.ts",
    from: "eventKey(SENDER_KEY, event_id, link_id)",
    to: `eventKey(SENDER_KEY, event_id, "")`,
    caught_by: "test/workers/counting/counting.test.ts",
  },
  "a click that is tried again on an overloaded object": {
    file: "src/counting/clicks.ts",
    from: "return isRefusal(error) || isOverloaded;",
    to: "return isRefusal(error);",
    caught_by: "test/workers/counting/routes.test.ts",
  },
  "a day's events that are given anew after each share": {
    file: "objects/monitor/day-events.ts",
    from: "given: given + n",
    to: "given: n",
    caught_by: "test/workers/operate/day-events.test.ts",
  },
  "a limit of the day that D1 is asked about each minute": {
    file: "objects/flush/flush-pauses.ts",
    from: `if (isDayLimit(error)) return "full";`,
    to: "",
    caught_by: "test/workers/operate/day-limits.test.ts",
  },
  "a page of this service among the referrers": {
    file: "src/counting/classify.ts",
    from: "  if (url.host === new URL(own_url).host) return null;\n",
    to: "",
    caught_by: "test/workers/flush/flush.test.ts",
  },
  "refused events that wait for a request which was cancelled": {
    file: "src/counting/limited-counts.ts",
    from: "      if (!isAbandoned(sending, now)) return null;\n",
    to: "      if (sending.since >= 0) return null;\n",
    caught_by: "test/workers/counting/router-memories.test.ts",
  },

  "a passkey's challenge that counts once for each of its spellings": {
    file: "src/identity/challenges.ts",
    from: "  if (base64url(bytes) !== challenge) return null;\n",
    to: "",
    caught_by: "test/workers/identity/passkeys.test.ts",
  },
  "a passkey's challenge for any purpose": {
    file: "src/identity/challenges.ts",
    from: "  const head = base64url(",
    to: `  purpose = "";\n  const head = base64url(`,
    caught_by: "test/workers/identity/passkeys.test.ts",
  },
  "a passkey that signs in whoever holds its key": {
    file: "src/identity/passkeys.ts",
    from: "counter: 0 },\n      requireUserVerification: true,",
    to: "counter: 0 },\n      requireUserVerification: false,",
    caught_by: "test/workers/identity/passkeys.test.ts",
  },
  "a passkey in a frame of another site": {
    file: "src/identity/passkeys.ts",
    from: "crossOrigin: z.optional(z.literal(false)),",
    to: "crossOrigin: z.optional(z.boolean()),",
    caught_by: "test/workers/identity/passkeys.test.ts",
  },
  "a passkey's certificates that are read": {
    file: "src/identity/passkeys.ts",
    from: "const attestationObject = withoutStatement(response.attestationObject);",
    to: "const { attestationObject } = response;",
    caught_by: "test/workers/identity/passkeys.test.ts",
  },
  "a passkey under an id that nobody signed": {
    file: "src/identity/passkeys.ts",
    from: " || made.credential.id !== registration.id",
    to: "",
    caught_by: "test/workers/identity/passkeys.test.ts",
  },
  "a cloned passkey that is refused without a word": {
    file: "src/identity/passkeys.ts",
    from: "publicKey: fromBase64url(passkey.public_key), counter: 0 }",
    to: "publicKey: fromBase64url(passkey.public_key), counter: passkey.counter }",
    caught_by: "test/workers/identity/passkeys.test.ts",
  },
  "a passkey's counter that two sign-ins may have": {
    file: "src/identity/passkeys-store.ts",
    from: "(counter < ?2 OR",
    to: "(counter <= ?2 OR",
    caught_by: "test/workers/identity/passkeys.test.ts",
  },
  "the last passkey of a user deleted": {
    file: "src/identity/users-store.ts",
    from: "HAS_A_WAY_IN} THEN name END",
    to: "HAS_A_WAY_IN} THEN name ELSE name END",
    caught_by: "test/workers/identity/passkeys.test.ts",
  },
  "a code by mail with any number of tries": {
    file: "src/identity/mail-codes-store.ts",
    from: "tries = tries + 1",
    to: "tries = tries + 0",
    caught_by: "test/workers/identity/identity-mail.test.ts",
  },
  "an address that somebody else proved": {
    file: "src/identity/mail-codes.ts",
    from: "found === null || found.user_id !== user_id",
    to: "found === null",
    caught_by: "test/workers/identity/identity-mail.test.ts",
  },
  "an ID token whose signature nobody checks": {
    file: "src/identity/openid.ts",
    from: "  await oauth.validateApplicationLevelSignature(server, response, options);\n",
    to: "",
    caught_by: "test/workers/identity/identity-issuers.test.ts",
  },
  "an address that an issuer has not verified": {
    file: "src/identity/openid.ts",
    from: "told.email_verified === true",
    to: "told.email_verified !== undefined",
    caught_by: "test/workers/identity/identity-issuers.test.ts",
  },
  "an account that an address signs in to, by the word of an issuer": {
    file: "src/identity/issuer-route.ts",
    from: '(await findUserByEmail(DB, email)) !== null) return "known_email";',
    to: "(await findUserByEmail(DB, email)) !== null) {\n    await enter(c, await findUserByEmail(DB, email), [], now);\n    return null;\n  }",
    caught_by: "test/workers/identity/identity-issuers.test.ts",
  },
  "a visit at an issuer that any answer ends": {
    file: "src/identity/issuer-visit.ts",
    from: " || visit.secrets.state !== state",
    to: "",
    caught_by: "test/workers/identity/identity-issuers.test.ts",
  },
  "an issuer's account connected for whoever is signed in now": {
    file: "src/identity/issuer-route.ts",
    from: "user === undefined || user.id !== user_id",
    to: "user === undefined",
    caught_by: "test/workers/identity/identity-issuers.test.ts",
  },
  "an issuer's account that was removed, in a D1 that went back": {
    file: "src/identity/issuer-route.ts",
    from: "user.suspended_at !== null || ended_at !== null)",
    to: "user.suspended_at !== null)",
    caught_by: "test/workers/identity/identity-issuers.test.ts",
  },
  "mails that tell of what an issuer's answer did not do": {
    file: "src/identity/issuer-route.ts",
    from: "  c.env.mails.length = 0;\n",
    to: "",
    caught_by: "test/workers/identity/identity-issuers.test.ts",
  },
  "an address that was removed, in a D1 that went back": {
    file: "src/identity/mail-code-route.ts",
    from: "user.suspended_at !== null || (await isEmailEnded(c, user.id, email))",
    to: "user.suspended_at !== null",
    caught_by: "test/workers/identity/identity-mail.test.ts",
  },
  "a code by mail that works twice": {
    file: "src/identity/mail-codes.ts",
    from: ", by, found.expires_at),",
    to: " + crypto.randomUUID(), by, found.expires_at),",
    caught_by: "test/workers/identity/identity-mail.test.ts",
  },
  "strangers' mails that leave users none": {
    file: "src/accounts/account-mails.ts",
    from: 'whose === "user" ? mailbox : whose',
    to: "mailbox",
    caught_by: "test/workers/identity/identity-mail.test.ts",
  },

  "a setup code that works again after D1 went back": {
    file: "src/identity/setup-route.tsx",
    from: "if (!isRight || (await isSpent(c, right))) throw",
    to: "if (!isRight) throw",
    caught_by: "test/workers/identity/identity.test.ts",
  },
  "an empty setup code that is as good as one": {
    file: "src/identity/setup-route.tsx",
    from: 'SETUP_CODE !== "" && hashes.some',
    to: "hashes.some",
    caught_by: "test/workers/identity/identity.test.ts",
  },
  "what was used, and R2 never hears of": {
    file: "src/identity/note-use.ts",
    from: "    await noteEnded(MEDIA, kind, hash, now);\n",
    to: "",
    caught_by: "test/workers/identity/identity.test.ts",
  },
  "an account before the first owner's": {
    file: "src/identity/admit.ts",
    from: 'SIGN_UP === "open" && (await hasUsers(DB))',
    to: 'SIGN_UP === "open"',
    caught_by: "test/workers/identity/identity.test.ts",
  },
  "a session that ended, in a D1 that went back": {
    file: "src/identity/sessions-store.ts",
    from: "ended !== null || (",
    to: "(",
    caught_by: "test/workers/identity/identity.test.ts",
  },
  "a passkey that was removed, in a D1 that went back": {
    file: "src/identity/sign-in-route.tsx",
    from: "passkey === null || (await isRemoved(c, passkey))",
    to: "passkey === null",
    caught_by: "test/workers/identity/identity.test.ts",
  },
  "a sign-in that came twice, taken for a copied passkey": {
    file: "src/identity/sign-in-route.tsx",
    from: "await c.env.DB.batch([using, tell(",
    to: "await c.env.DB.batch([tell(",
    caught_by: "test/workers/identity/identity.test.ts",
  },
  "recovery codes that were replaced, in a D1 that went back": {
    file: "src/identity/recover-route.tsx",
    from: "code_row.made_at < (replaced_at ?? 0)",
    to: "code_row.made_at < 0",
    caught_by: "test/workers/identity/identity.test.ts",
  },
  "a way back in for a suspended user": {
    file: "src/identity/recover-route.tsx",
    from: " || user.suspended_at !== null",
    to: "",
    caught_by: "test/workers/identity/identity.test.ts",
  },
  "a deleted user who comes back with an old D1": {
    file: "src/identity/tidy.ts",
    from: "  await endDeletedUsers(DB, now - HOUR_MS, now).run();\n",
    to: "",
    caught_by: "test/workers/identity/identity.test.ts",
  },
  "an event of accounts that keeps all later ones back": {
    file: "src/accounts/account-events.ts",
    from: "    return false;\n",
    to: "    throw error;\n",
    caught_by: "test/workers/identity/identity.test.ts",
  },
  "a change of an account without the session's token": {
    file: "src/identity/signed-in.ts",
    from: "if (!isToken || !isSameOrigin(c))",
    to: "if (!isSameOrigin(c))",
    caught_by: "test/workers/identity/identity.test.ts",
  },

  "bots and owners in the numbers of the list of pages": {
    file: "src/stats/owned-pages-store.ts",
    from: " AND class = 'human')",
    to: ")",
    caught_by: "test/workers/dashboard/dashboard.test.ts",
  },
  "today, compared with all of yesterday": {
    file: "src/stats/aggregation.ts",
    from: "\n    .filter(({ hour }) => (hour + shift_s) * SECOND_MS <= now_ms);",
    to: ";",
    caught_by: "test/workers/stats/stats.test.ts",
  },
  "a last day of 24 hours whatever the clocks do": {
    file: "src/stats/calendar.ts",
    from: "to_s: startOf(addDays(to, 1), tz) };",
    to: "to_s: startOf(to, tz) + 24 * HOUR_S };",
    caught_by: "test/workers/platform/calendar.test.ts",
  },
  "a table that spreadsheets do not read as UTF-8": {
    file: "src/stats/stats-csv.ts",
    from: "return BYTE_ORDER_MARK + [",
    to: "return [",
    caught_by: "test/workers/stats/stats.test.ts",
  },
  "an audit in which two errors cancel out": {
    file: "src/stats/audit.ts",
    from: "exact: all.every(({ drift }) => drift === 0)",
    to: "exact: sum(all).drift === 0",
    caught_by: "test/workers/stats/audit.test.ts",
  },

  "a change that needs no version": {
    file: "src/authoring/if-match.ts",
    from: `if (if_match === undefined) throw new ApiError("PRECONDITION_REQUIRED");`,
    to: "if (if_match === undefined) return true;",
    caught_by: "test/workers/authoring/authoring.test.ts",
  },
  "a patch whose null is a value": {
    file: "src/authoring/merge-patch.ts",
    from: "    if (value === null) merged.delete(name);\n    else merged.set(",
    to: "    merged.set(",
    caught_by: "test/workers/authoring/merge-patch.test.ts",
  },
  "a deletion that can be undone at its end": {
    file: "src/authoring/own-pages.ts",
    from: "return ends_at !== null && ends_at <= now;",
    to: "return ends_at !== null && ends_at < now;",
    caught_by: "test/workers/authoring/plans-and-undo.test.ts",
  },
  "pictures of an import for which the plan has no room": {
    file: "src/authoring/transfer/import-page.ts",
    from: "pages.length >= pagesMax(c)",
    to: "pages.length > pagesMax(c)",
    caught_by: "test/workers/authoring/transfer/transfer-import.test.ts",
  },
  "a save that visitors see when the cron has run": {
    file: "src/authoring/own-pages.ts",
    from: `    startDelivery(c);\n    return saved.page;\n  }\n  if (saved.outcome === "slug_taken")`,
    to: `    return saved.page;\n  }\n  if (saved.outcome === "slug_taken")`,
    caught_by: "test/workers/authoring/authoring.test.ts",
  },

  "a formula with a full-width sign in a table": {
    file: "src/views/csv.ts",
    from: "const FORMULA = /^[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20]/;",
    to: "const FORMULA = /^[=+\\-@]/;",
    caught_by: "test/workers/stats/stats.test.ts",
  },
  "links that recommend their sites to search engines": {
    file: "src/pages/render/link-list.tsx",
    from: `export const OUTWARD = "noopener noreferrer nofollow ugc";`,
    to: `export const OUTWARD = "noopener noreferrer";`,
    caught_by: "test/workers/pages/views.test.tsx",
  },
  "a link that the edge shows for up to a second after its end": {
    file: "src/pages/cache/freshness.ts",
    from: "const left_s = Math.floor((next_change - now) / SECOND_MS);",
    to: "const left_s = Math.ceil((next_change - now) / SECOND_MS);",
    caught_by: "test/workers/pages/scheduled-links.test.ts",
  },
  "a deleted page that visitors still see": {
    file: "src/pages/render/shown-page.ts",
    from: ` || page.ends_at !== null) return null;`,
    to: ") return null;",
    caught_by: "test/workers/pages/pages.test.ts",
  },
  "an error in the other language without its direction": {
    file: "src/views/error-page.tsx",
    from: `<p class="bio" lang={otherLocale} dir={TEXTS[otherLocale].direction}>`,
    to: `<p class="bio">`,
    caught_by: "test/workers/http/error-answer.test.ts",
  },

  "a field that two tabs changed, for which nobody is asked": {
    file: "src/client/editor/merge.ts",
    from: "  conflicts.push({ path, mine, theirs });\n",
    to: "",
    caught_by: "test/plain/client/editing.test.ts",
  },
  "a call that is repeated in the name of who is signed in now": {
    file: "src/client/api.ts",
    from: `    if (this.#user_id !== null && who.user_id !== this.#user_id) {
      return { ...first, status: 401, code: "OTHER_USER" };
    }\n`,
    to: "",
    caught_by: "test/plain/client/editing.test.ts",
  },
  "an unsaved draft that the next user of the browser gets": {
    file: "src/client/editor/local-drafts.ts",
    from: "key[0] === user_id && ",
    to: "",
    caught_by: "test/plain/client/editing.test.ts",
  },
  "a creator who is asked about a change of their own": {
    file: "src/client/editor/merge.ts",
    from: "  if (sent.some((value) => isSame(value, theirs))) return theirs;\n",
    to: "",
    caught_by: "test/plain/client/editing.test.ts",
  },
  "a draft that is said to be kept where the browser refused it": {
    file: "src/client/editor/editing.ts",
    from: `is_kept ? "kept" : "not_kept"`,
    to: `"kept"`,
    caught_by: "test/plain/client/editing.test.ts",
  },
  "a save that the page of a network's sign-in confirms": {
    file: "src/client/own-answer.ts",
    from: "  if (!isOwn({ headers })) return null;\n",
    to: "",
    caught_by: "test/plain/client/editing.test.ts",
  },
  "half an address that visitors get while it is typed": {
    file: "src/client/editor/wire.ts",
    from: "return withLastAddress(wire, last);",
    to: "return wire;",
    caught_by: "test/plain/client/editing.test.ts",
  },
  "a schedule at the second of two hours that the clock shows twice": {
    file: "src/client/editor/links/zone-time.ts",
    from: "const [first] = found;",
    to: "const first = found.at(-1);",
    caught_by: "test/workers/client/editor-zone-time.test.ts",
  },
  "a menu of the right button that counts as a click": {
    file: "src/client/beacon.ts",
    from: "if (button > 1) return;",
    to: "if (button > 2) return;",
    caught_by: "test/browser/journeys.test.ts",
  },

  "a row of an outbox that is deleted before its target has it": {
    file: "objects/platform/outbox.ts",
    from: "        await withTimeout(send(target, sent), SEND_TIMEOUT_MS, clock);",
    to: `        this.#delete(rows.map(({ id }) => id));
        await withTimeout(send(target, sent), SEND_TIMEOUT_MS, clock);`,
    caught_by: "test/plain/platform/outbox.test.ts",
  },
  "a row of an outbox that is sent before it is on disk": {
    file: "objects/platform/outbox.ts",
    from: "        await storage.sync();\n",
    to: "        void storage;\n",
    caught_by: "test/plain/platform/outbox.test.ts",
  },
  "a target that fails and holds up the others": {
    file: "objects/platform/outbox.ts",
    from: "const LANES_MAX = 6;",
    to: "const LANES_MAX = 1;",
    caught_by: "test/plain/platform/outbox.test.ts",
  },
  "a pause that is over when a row is added": {
    file: "objects/platform/outbox.ts",
    from: "      head.due,\n      head.tries,\n",
    to: "      due_at,\n      0,\n",
    caught_by: "test/plain/platform/outbox.test.ts",
  },
  "an outbox that a clock stops": {
    file: "objects/platform/outbox.ts",
    from: "return due <= now || due > now + this.#rules.schedule.longest_ms;",
    to: "return due <= now;",
    caught_by: "test/plain/platform/outbox.test.ts",
  },
  "an alarm that stays later than what is due": {
    file: "objects/platform/alarm.ts",
    from: "|| this.firesBy(by_ms, now)) return false;",
    to: "|| this.firesBy(Number.MAX_VALUE, now)) return false;",
    caught_by: "test/plain/blocks/downloads.test.ts",
  },
  "a page's object that does not hear what its endpoints want": {
    file: "objects/page/tables/webhook-outbox.ts",
    from: "if (this.#exists) takeAnnounced(this.#storage.kv, WANTED, wanted);",
    to: "void wanted;",
    caught_by: "test/plain/blocks/webhooks.test.ts",
  },
  "a change of endpoints that no route brings to the page's object": {
    file: "src/blocks/webhooks/webhook-calls.ts",
    from: "    await tellPage(c, page_id, object);\n",
    to: "",
    caught_by: "test/workers/blocks/webhooks-out.test.ts",
  },
  "old news that lose their pause by an upgrade": {
    file: "objects/page/tables/webhook-outbox.ts",
    from: "if (!isOld || due_at === null) return;",
    to: "if (isOld || due_at === null) return;",
    caught_by: "test/plain/platform/outbox-upgrade.test.ts",
  },

  "anybody with a session among the operators": {
    file: "src/operate/operators.ts",
    from: "if (session === null || !isOperator(env, session)) return false;",
    to: "if (session === null) return false;",
    caught_by: "test/workers/operate/operators.test.ts",
  },
  "reports of an error that are seen before they come": {
    file: "src/operate/errors-store.ts",
    from: "SELECT fingerprint, first_seen, min(n, ?2), ?3 FROM errors",
    to: "SELECT fingerprint, first_seen, ?2, ?3 FROM errors",
    caught_by: "test/workers/operate/operators.test.ts",
  },
  "a status that stays well when measurements stop": {
    file: "src/operate/status.ts",
    from: "if (Math.abs(now - at) < STALE_MS) return status;",
    to: "if (at > 0) return status;",
    caught_by: "test/workers/operate/monitor.test.ts",
  },
  "a stack trace that is stored with its tokens": {
    file: "src/counting/errors/error-report.ts",
    from: "stack: redact(clean(report.stack)),",
    to: "stack: clean(report.stack),",
    caught_by: "test/workers/counting/errors/error-report.test.ts",
  },
  "the end of an alert before its beginning": {
    file: "objects/monitor/alert-book.ts",
    from: "AND other.seq < due.seq)",
    to: "AND other.seq > due.seq)",
    caught_by: "test/workers/operate/monitor.test.ts",
  },
};
