import { En, Page } from "../../neighbours/worker/page.tsx";
import type { Plan, User } from "../../people.ts";
import { pointsInArabic } from "./store.ts";

const PLANS: Readonly<Record<Plan, { ar: string; en: string }>> = {
  free: { ar: "الباقة المجانية", en: "Free" },
  pro: { ar: "الباقة الاحترافية", en: "Pro" },
  business: { ar: "باقة الأعمال", en: "Business" },
};

export function SignInPage(props: {
  users: (User & { points: number })[];
  user: User | null;
  return_to: string;
}) {
  const { users, user, return_to } = props;
  return (
    <Page title="تسجيل الدخول · Sign in">
      <h1>
        تسجيل الدخول
        <En>Sign in</En>
      </h1>
      <p>
        هذا مركز حسابات تجريبي، وأصحاب الحسابات من نسج الخيال. اختر من تكون.
        <En>A demo of the account hub; its people are invented. Choose who you are.</En>
      </p>
      {user !== null && <Already user={user} return_to={return_to} />}
      <form method="post" action="/sign-in">
        <input type="hidden" name="return_to" value={return_to} />
        {users.map(({ id, name, plan, points, locale }) => (
          <button type="submit" name="account" value={id}>
            <bdi class="name" lang={locale}>
              {name}
            </bdi>
            <span class="plan">
              {PLANS[plan].ar} · {pointsInArabic(points)}
            </span>
            <En>
              {PLANS[plan].en} · {new Intl.NumberFormat("en").format(points)} points
            </En>
          </button>
        ))}
      </form>
    </Page>
  );
}

function Already(props: { user: User; return_to: string }) {
  const { user, return_to } = props;
  return (
    <section class="already">
      <p>
        دخلت باسم <bdi class="name">{user.name}</bdi>
        <En>
          You are signed in as <bdi>{user.name}</bdi>
        </En>
      </p>
      <a href={return_to}>
        تابع <En>Continue</En>
      </a>
      <form method="post" action="/sign-out" class="row">
        <input type="hidden" name="return_to" value={return_to} />
        <button type="submit">
          تسجيل الخروج <En>Sign out</En>
        </button>
        <button type="submit" name="everywhere" value="1">
          الخروج من كل الأجهزة <En>Sign out everywhere</En>
        </button>
      </form>
    </section>
  );
}
