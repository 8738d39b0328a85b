/** Invented people: those of `npm start`, and accounts of the demo hub. */

export const PLANS = ["free", "pro", "business"] as const;

export type Plan = (typeof PLANS)[number];

export interface User {
  id: string;
  name: string;
  email: string;
  plan: Plan;
  locale: "ar" | "en";
}

/** One account of each plan, with its initial points. The one with the plan pro owns the demo pages. */
export const DEMO_PEOPLE: readonly { user: User; points: number }[] = [
  {
    user: {
      id: "demo-free",
      name: "سلمى العطار",
      email: "salma@example.com",
      plan: "free",
      locale: "ar",
    },
    points: 40,
  },
  {
    user: {
      id: "demo-pro",
      name: "ليان الحوراني",
      email: "layan@example.com",
      plan: "pro",
      locale: "ar",
    },
    points: 1_250,
  },
  {
    user: {
      id: "demo-business",
      name: "Mara Quill",
      email: "mara@example.org",
      plan: "business",
      locale: "en",
    },
    points: 18_000,
  },
];
