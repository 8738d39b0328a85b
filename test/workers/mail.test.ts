/** The binding `MAIL` as tests and `npm start` have it. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { askHub, hubFault, mendHub, takeMails } from "./hub-kit.ts";

const MAIL = {
  from: env.MAIL_FROM,
  to: "sara@example.com",
  subject: "أهلًا <b>",
  text: "افتح https://sila.example/newsletter/confirm?token=x\n<script>",
  html: "<p>hi</p>",
  headers: { "X-Sila-Mail-Id": "m1" },
};

it("a mail that the service sends is in the demo's mailbox, escaped, with its links", async () => {
  await takeMails();
  await env.MAIL.send(MAIL);
  const [mail] = await takeMails();
  expect(mail).toMatchObject(MAIL);
  await env.MAIL.send(MAIL);
  const list = await (await askHub("/mailbox?to=SARA@example.com")).text();
  expect(list).toContain("أهلًا &lt;b&gt;");
  const path = /\/mailbox\/[0-9a-f-]{36}/.exec(list)?.[0] ?? "";
  const shown = await (await askHub(path)).text();
  expect(shown).toContain('href="https://sila.example/newsletter/confirm?token=x"');
  expect(shown).not.toContain("<script>");
  await takeMails();
});

async function failure(mail: object): Promise<string> {
  try {
    await env.MAIL.send(mail as typeof MAIL);
    return "sent";
  } catch (error) {
    return (error as Error).message;
  }
}

it("a mail that the mailbox refuses, or that has a header of the platform, is an error", async () => {
  const refused = { ...MAIL, headers: { "Message-ID": "<1@sila.example>" } };
  expect(await failure(refused)).toBe("E_HEADER_NOT_ALLOWED");
  await hubFault("/api/mails", "down");
  expect(await failure(MAIL)).toBe("E_DELIVERY_FAILED");
  await mendHub();
  expect(await takeMails()).toEqual([]);
});
