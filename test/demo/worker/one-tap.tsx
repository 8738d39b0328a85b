/**
 * The module around the identity Worker of `npm start`: one of the demo's people is signed in by one tap. It imports the
 * deployed bundle, which has nothing of it; the session is made by the box's own code, as after a passkey.
 */
import { Hono } from "hono";
import Identity from "identity";
import { isSameOrigin } from "../../../src/accounts/csrf.ts";
import { returnAddress } from "../../../src/accounts/return-address.ts";
import { ApiError } from "../../../src/http/api-error.ts";
import { SIGN_IN_PAGE } from "../../../src/http/endpoints.ts";
import { answerError } from "../../../src/http/error-answer.tsx";
import { readWallet } from "../../../src/identity/books-store.ts";
import type { Served, Settings } from "../../../src/identity/box.ts";
import { type BoxEnv, refused, relyingParty } from "../../../src/identity/context.ts";
import { enter } from "../../../src/identity/enter.ts";
import { findUser, type User } from "../../../src/identity/users-store.ts";
import type { Locale } from "../../../src/views/locale.ts";
import { counted } from "../../../src/views/numbers.ts";
import { DEMO_PEOPLE, type Plan } from "../people.ts";

const ONE_TAP_PATH = "/api/auth/demo";

const app = new Hono<BoxEnv>();
app.onError((error, c) => answerError(error, c as never));

/** A form with `user_id` and `return_to` → 303 with the session's cookie. */
app.post(ONE_TAP_PATH, async (c) => {
  c.set("requestId", c.env.request_id);
  const { origin } = relyingParty(c);
  // Another site can get a name that leads to this machine, too.
  const isOurs = isSameOrigin(c) && new URL(c.req.url).origin === origin;
  if (!isOurs) throw new ApiError("CSRF_REQUIRED");
  const { user_id, return_to = "/dashboard" } = await c.req.parseBody();
  const address = returnAddress(String(return_to), origin);
  const person = (await people(c.env.DB)).find(({ id }) => id === user_id);
  if (address === null || person === undefined) throw refused();
  await enter(c, person, [], Date.now());
  return c.redirect(address, 303);
});

export default class OneTap extends Identity {
  override async serve(request: Request, settings: Settings): Promise<Served> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === ONE_TAP_PATH) {
      const mails: Served["mails"] = [];
      return { response: await app.fetch(request, { ...this.env, ...settings, mails }), mails };
    }
    const { response, mails } = await super.serve(request, settings);
    if (pathname !== SIGN_IN_PAGE || !response.ok) return { response, mails };
    const listed = await people(this.env.DB);
    const return_to = searchParams.get("return_to");
    let locale: Locale = "ar";
    const offering = new HTMLRewriter()
      .on("html", {
        element(html) {
          locale = html.getAttribute("lang") === "en" ? "en" : "ar";
        },
      })
      .on("[data-lede]", {
        element(lede) {
          const forms = <People locale={locale} people={listed} return_to={return_to} />;
          lede.after(String(forms), { html: true });
        },
      })
      .transform(response);
    return { response: offering, mails };
  }
}

type Person = User & { points: number };

async function people(db: D1Database): Promise<Person[]> {
  const found = await Promise.all(
    DEMO_PEOPLE.map(async ({ user: { id } }) => {
      const [user, wallet] = await Promise.all([findUser(db, id), readWallet(db, id)]);
      if (user === null || wallet === null || user.suspended_at !== null) return [];
      return [{ ...user, points: wallet.points }];
    }),
  );
  return found.flat();
}

const TEXTS = {
  ar: {
    what: "أصحاب هذه الحسابات من نسج الخيال. اختر من تكون:",
    plans: { free: "الباقة المجانية", pro: "الباقة الاحترافية", business: "باقة الأعمال" },
    operator: "من المشغّلين",
    or: "أو",
  },
  en: {
    what: "These people are invented. Choose who you are:",
    plans: { free: "Free", pro: "Pro", business: "Business" },
    operator: "operator",
    or: "or",
  },
} satisfies Record<Locale, { plans: Record<Plan, string> } & Record<string, unknown>>;

function People(props: { locale: Locale; people: Person[]; return_to: string | null }) {
  const { locale, people, return_to } = props;
  const texts = TEXTS[locale];
  const numbers = locale === "ar" ? "ar-u-nu-arab" : "en";
  return (
    <>
      <form class="entry-form" method="post" action={ONE_TAP_PATH}>
        {return_to !== null && <input type="hidden" name="return_to" value={return_to} />}
        <p class="entry-hint">{texts.what}</p>
        {people.map(({ id, name, locale: own, plan, points, is_operator }) => (
          <button class="entry-second" type="submit" name="user_id" value={id}>
            <span>
              <bdi lang={own}>{name}</bdi>
              <br />
              <small class="entry-hint">
                {[texts.plans[plan], counted(numbers, "point", points)].join(" · ")}
                {is_operator && ` · ${texts.operator}`}
              </small>
            </span>
          </button>
        ))}
      </form>
      <p class="entry-or">{texts.or}</p>
    </>
  );
}
