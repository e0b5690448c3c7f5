// 429 rate_limit_exceeded of every operation, by whichever limit comes first: the ceiling of calls, the limit of reads and account operations,
// the limit of public ones.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dialects, type DialectRow } from "../../../generated/errors.ts";
import { type Operation, operations } from "../../../generated/operations.ts";
import { awayFromMinuteEdge } from "../../limits/counted-database.ts";
import { shownWord } from "../../support/error-word.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { makeOperator } from "../../support/operators.ts";
import { highTiers } from "../../support/tiers.ts";
import { language, provider } from "../chat/chat-gateway.ts";

/** Ten times the tier's: what the edge lets through. */
const bound = 10;

let gateway: Gateway;
let key: string;
let token: string;
beforeAll(async () => {
  await awayFromMinuteEdge(20_000);
  const catalog = JSON.stringify({ providers: [provider("north")], models: [language("demo/x", ["x"])], tiers: highTiers({ rpm: 1 }) });
  gateway = await startGateway({ catalog, limits: { publicPerMinute: bound } });
  const account = await gateway.createAccount({ deposit: "5" });
  ({ key } = account);
  ({ token } = await gateway.createSession(account));
  await makeOperator(gateway, account, "admin");
  for (const { id, auth } of [operations.listModels, operations.getCreditBalance, operations.createChatCompletion])
    for (let n = 0; n < bound; n += 1) expect((await ask(operations[id], auth === "none" ? undefined : key)).status).not.toBe(429);
}); // the edge of the minute may be waited for
afterAll(() => gateway.stop());

const ask = ({ method, path }: Operation, credential: string | undefined) =>
  gateway.request(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "some-id"), {
    ...(credential === undefined ? {} : { key: credential }),
    ...(method === "get" || method === "delete" ? {} : { body: {} }),
  });
const credentialFor = ({ auth }: Operation) => (auth === "none" ? undefined : auth === "session" ? token : key);

const names = (chosen: Operation[]) => chosen.map((operation) => [operation.id, operation] as const);
const { limited = [], unlimited = [] } = Object.groupBy(Object.values(operations), ({ errors }) =>
  errors.includes("rate_limit_exceeded") ? "limited" : "unlimited",
);

describe("429 rate_limit_exceeded", () => {
  test.each(names(limited))("%s", async (_, operation) => {
    // On a slow machine the minute may be over whose calls beforeAll used up: this operation then uses up the next one's.
    let reply = await ask(operation, credentialFor(operation));
    for (let n = 0; n < bound && reply.status !== 429; n += 1) reply = await ask(operation, credentialFor(operation));
    const { status, json, headers } = reply;
    expect(status).toBe(429);
    const { codes }: DialectRow = dialects[operation.dialect];
    expect(shownWord(operation.dialect, json)).toBe(codes.rate_limit_exceeded ?? "rate_limit_exceeded");
    expect(headers).toMatchObject({
      "retry-after": "60",
      "retry-after-ms": expect.stringMatching(/^[1-9]\d*$/),
      "x-should-retry": "true",
      "x-ratelimit-limit-requests": String(bound),
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": expect.stringMatching(/^([12]m)?\d+s$/),
    });
  });
});

describe("no 429: payment providers send as fast as they must", () => {
  test.each(names(unlimited))("%s", async (_, operation) => {
    expect(operation.id).toBe("receivePaymentEvent");
    for (let n = 0; n <= bound; n += 1) expect((await ask(operation, undefined)).status).not.toBe(429);
  });
});
