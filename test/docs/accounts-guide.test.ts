// The guide "Accounts and credit", its commands one by one in one shell against a gateway of its own.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GuideShell, hasCurl, openGuideShell } from "./guide-shell.ts";

let shell: GuideShell;
beforeAll(async () => void (shell = await openGuideShell("accounts-and-credit")));
afterAll(() => shell?.close());

const statusOf = (reply: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(reply)![1]);

test.skipIf(!hasCurl)("every command does what the guide says, in its order", async () => {
  const { next, json, run } = shell;
  expect(await json('curl -s "$SVC_URL/v1/auth/signup"')).toMatchObject({ verification_required: true });
  const codeOfMail = () => /or by this code: (\d{6})/.exec(shell.gateway.output())?.[1];
  await expect.poll(codeOfMail).toBeDefined();
  await next("read -r CODE", { "read -r CODE": `CODE=${codeOfMail()!}` });
  await next("VERIFIED=");
  const verified = await json("echo");
  expect(verified).toMatchObject({ credit_granted_usd: 0.5 });
  await next("SVC_KEY=");
  await next("SESSION=");
  expect(await run("echo $SVC_KEY $SESSION")).toBe(`${verified.api_key} ${verified.session_token}\n`);

  expect(await json('curl -s "$SVC_URL/v1/credits/balance"')).toMatchObject({ balance: 0.5 });
  await next("ask()");
  expect(statusOf(await next("ask cheap"))).toBe(200);
  const refused = await next("ask best");
  expect(statusOf(refused)).toBe(402);
  expect(refused).toContain('"code":"model_requires_paid"');
  expect(await json('curl -s "$SVC_URL/v1/credits/topup"')).toMatchObject({ error: { code: "payment_failed" } }); // nobody can pay here
  await next("npx svc account deposit");
  const answer = await next("ask best");
  expect(statusOf(answer)).toBe(200);
  const requestId = /^x-request-id: (\S+)/m.exec(answer)![1]!;
  await next("REQUEST=");

  const { data: logs } = await json('curl -s "$SVC_URL/v1/auth/usage/logs"');
  expect(logs.map((log: { request_id: string }) => log.request_id)).toContain(requestId);
  const receipt = await json('curl -s "$SVC_URL/v1/usage/$REQUEST"');
  expect(receipt).toMatchObject({ request_id: requestId, ledger: [{ type: "usage" }] });
  const { data: entries } = await json('curl -s "$SVC_URL/v1/credits/ledger"');
  expect(entries.map((entry: { type: string }) => entry.type)).toEqual(expect.arrayContaining(["usage", "purchase", "signup_bonus"]));
  expect(await json('curl -s "$SVC_URL/v1/auth/limits"')).toMatchObject({ tier: 1, has_credits: true });
  expect(await json('curl -s "$SVC_URL/v1/usage/summary?bucket=day')).toMatchObject({ object: "usage.summary", timezone: "Europe/Berlin" });
  expect(await next('curl -s "$SVC_URL/v1/usage/summary?group_by=status"')).toMatch(/,succeeded,|,ok,|,success,/);

  const made = await json('curl -s "$SVC_URL/v1/auth/keys"');
  expect(made).toMatchObject({ name: "laptop", limit_usd: 5 });
  await next("KEY_ID=");
  expect((await json('curl -s "$SVC_URL/v1/auth/keys" -H "Authorization: Bearer $SVC_KEY"')).data).toHaveLength(2);
  expect(await json("curl -s -X PATCH")).toMatchObject({ id: made.id, enabled: false });
  expect(await json("curl -s -X DELETE")).toMatchObject({ deleted: true, id: made.id, new_default: null });
  expect(await json('curl -s "$SVC_URL/v1/auth/keys"')).toMatchObject({ name: "nightly report", limit_usd: 2, limit_resets: "daily" });
  await next("BOUND_ID=");
  expect(await json('curl -s "$SVC_URL/v1/auth/keys/$BOUND_ID/usage"')).toMatchObject({ object: "api_key_usage" });
  expect(await json('curl -s "$SVC_URL/v1/auth/keys/$BOUND_ID/roll"')).toMatchObject({ name: "nightly report" });
  expect(await json('curl -s -X PATCH "$SVC_URL/v1/workspace/notices"')).toMatchObject({ low_balance_usd: 20 });
  expect(await json('curl -s "$SVC_URL/v1/workspace/webhooks"')).toMatchObject({ secret: expect.stringMatching(/^whsec_/) });
  await next("HOOK_ID=");
  expect(await json("curl -s -X POST")).toMatchObject({ event: "webhook.test" });
  expect(shell.left()).toEqual([]);
});
