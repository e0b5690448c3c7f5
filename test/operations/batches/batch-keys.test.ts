// What a batch's key may not do, its lines may not: models, operations, scopes and expiry are asked for each line, as of a request; what is refused
// costs nothing and reaches no provider, and the other lines go on.
import { describe, expect, test } from "vitest";
import { minuteTest } from "../../limits/counted-database.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { highTiers } from "../../support/tiers.ts";
import { chatWorld, hello, language } from "../chat/chat-gateway.ts";
import { type BatchObject, completed, createBatch, ended, linesFor, resultsOf, takeOver } from "./batch-gateway.ts";

const chat = "/v1/chat/completions";
/** 0.01 USD a call. */
const flat = { pricing: { mode: "per-token", input: 0, output: 0, per_request: 0.01 } };
const world = chatWorld(
  [
    language("demo/may", ["may+sim-tokens-3"], flat),
    language("demo/not", ["not+sim-tokens-3"], flat),
    language("demo/falling", ["may+sim-fail-503"], { ...flat, fallbacks: ["demo/not"] }),
  ],
  { aliases: { other: "demo/not" }, tiers: highTiers() },
  { batches: { lookMs: 20, leaseMs: 600, pauseMs: 20 } },
);

interface Bound {
  /** With its first key, which may do everything. */
  account: TestAccount;
  key: string;
  masked: string;
}

async function bound(policy: object): Promise<Bound> {
  const account = await world.account();
  const session = (await world.gateway.createSession(account)).token;
  const { json } = await world.gateway.request("POST", "/v1/auth/keys", { key: session, body: { name: "bound", ...policy } });
  return { account, key: json.api_key, masked: json.masked };
}

const line = (model = "demo/may") => ({ model, messages: hello, max_tokens: 5 });
const create = (key: string, bodies: object[], endpoint = chat) =>
  createBatch(world.gateway, { key }, endpoint, linesFor(endpoint, bodies));
/** Lines by their end: the ids of those that were answered, and what the others were refused with. */
async function endsOf({ account }: Bound, created: BatchObject) {
  const batch = await ended(world.gateway, account, created);
  expect(batch.status).toBe("completed");
  const answered = await resultsOf(world.gateway, account, batch.output_file_id);
  const refused = await resultsOf(world.gateway, account, batch.error_file_id);
  return {
    answered: answered.map(({ custom_id }) => custom_id),
    refused: refused.map(({ custom_id, response }) => [custom_id, response!.status_code, response!.body.error.code]),
    messages: refused.map(({ response }) => response!.body.error.message as string),
  };
}
const balance = (spent: number) => ({ balance: 20 - spent, reserved: 0, spent });
const asked = () => world.sent().map(({ model }) => model.split("+")[0]);

describe("lines of a key's batch", () => {
  test("403 model_not_allowed: another model, by its id or its alias, and none in another's place; the others are answered", async () => {
    const key = await bound({ allowed_models: ["demo/may", "demo/falling"] });
    const models = ["demo/may", "demo/not", "demo/may", "other", "demo/may"];
    const { answered, refused, messages } = await endsOf(key, await create(key.key, models.map(line)));
    expect(answered).toEqual(["r0", "r2", "r4"]);
    expect(refused).toEqual(["r1", "r3"].map((id) => [id, 403, "model_not_allowed"]));
    for (const message of messages) for (const part of ["demo/not", key.masked]) expect(message).toContain(part);
    expect(asked()).toEqual(["may", "may", "may"]);
    expect(await world.gateway.balance(key.account)).toEqual(balance(0.03));
    const fallen = await endsOf(key, await create(key.key, [line("demo/falling")]));
    expect([fallen.answered, fallen.refused[0]![0], asked().includes("not")]).toEqual([[], "r0", false]);
    expect(await world.gateway.balance(key.account)).toEqual(balance(0.03));
  });

  test("403 operation_not_allowed: a key that may make batches, and not this endpoint's requests; its other endpoint's are answered", async () => {
    const key = await bound({ allowed_operations: ["createFile", "createBatch", "createCompletion"] });
    const { answered, refused, messages } = await endsOf(key, await create(key.key, [line(), line()]));
    expect(answered).toEqual([]);
    expect(refused).toEqual(["r0", "r1"].map((id) => [id, 403, "operation_not_allowed"]));
    for (const message of messages) expect(message).toContain(`The API key ${key.masked} may not call createChatCompletion`);
    expect([asked(), await world.gateway.balance(key.account)]).toEqual([[], balance(0)]);
    const prompt = { model: "demo/may", prompt: "Once upon", max_tokens: 5 };
    expect((await endsOf(key, await create(key.key, [prompt], "/v1/completions"))).answered).toEqual(["r0"]);
    expect(await world.gateway.balance(key.account)).toEqual(balance(0.01));
  });
});

describe("a key that is bound while its batch runs: what was answered stays, the rest is refused and free, and another key's batch goes on", () => {
  const cases = [
    ["a scope", 403, "operation_not_allowed", "its scope is read_only", "scopes = '{read_only}'"],
    ["its expiry", 401, "key_expired", "expired", "expires_at = clock_timestamp()"],
  ] as const;
  for (const [what, status, code, part, set] of cases)
    minuteTest(`${status} ${code}, by ${what}`, async () => {
      const key = await bound({ rpm: 2 }); // a batch gets half of it
      const before = asked().length;
      const created = await create(key.key, [line(), line(), line()]);
      await completed(world.gateway, key.account, created, 1);
      const { pool } = world.gateway.context.db;
      await pool.query(`update api_key set rpm = null, ${set} where account_id = $1 and name = 'bound'`, [key.account.accountId]);
      await takeOver(world.gateway, created);
      const { answered, refused, messages } = await endsOf(key, created);
      expect([answered.length, refused.map(([, ...end]) => end)]).toEqual([1, [[status, code], [status, code]]]); // prettier-ignore
      for (const message of messages) for (const one of [part, key.masked]) expect(message).toContain(one);
      expect([asked().length - before, await world.gateway.balance(key.account)]).toEqual([1, balance(0.01)]);
      const other = await endsOf(key, await create(key.account.key, [line(), line()]));
      expect(other).toEqual({ answered: ["r0", "r1"], refused: [], messages: [] });
    });
});
