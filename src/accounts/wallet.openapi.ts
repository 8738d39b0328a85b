import { WALLET_PATH } from "../http/endpoints.ts";
import { success } from "../openapi/answers.ts";
import { described } from "../openapi/described.ts";
import type { Operation } from "../openapi/operation.ts";
import { HUB, json } from "../openapi/responses.ts";
import { Wallet } from "./hub-answers.ts";

const WalletAnswer = success("WalletAnswer", { wallet: described(Wallet, { id: "Wallet" }) });

export const WALLET: readonly Operation[] = [
  {
    method: "get",
    path: WALLET_PATH,
    id: "getWallet",
    tag: "accounts",
    access: "session",
    ar: {
      summary: "نقاطك",
      description: "كما يخبر بها مركز الحسابات الآن: ما يمكن صرفه، وما هو في الطريق، وكل ما كُسب.",
    },
    en: {
      summary: "Your points",
      description:
        "The current balance at the account hub: points to spend, pending points, and all points ever earned.",
    },
    responses: { "200": json("The wallet.", WalletAnswer) },
    errors: ["AUTH_REQUIRED", "RATE_LIMITED", ...HUB, "DEPENDENCY_DOWN"],
  },
];
