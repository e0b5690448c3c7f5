// PATCH /v1/workspace/members/{member} with a budget: who sets it, how it is shown, and what the keys of the member may spend then.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { postEntry } from "../../../src/ledger/post.ts";
import { parseUsd } from "../../../src/money.ts";
import { hello, language, provider } from "../chat/chat-gateway.ts";
import { codeOf, type Person, startTeamGateway, type Team, type TeamGateway } from "./team-gateway.ts";

let gateway: TeamGateway;
beforeAll(async () => {
  const models = [language("demo/chat", ["chat"]), language("demo/slow", ["chat+sim-slow-6000ms"])];
  gateway = await startTeamGateway({ catalog: JSON.stringify({ providers: [provider("north")], models }) });
});
afterEach(async () => expect(await gateway.audit()).toMatchObject({ mismatches: [] }));
afterAll(() => gateway.stop());

const denied = [403, "permission_denied"];
const set = (who: Person, { workspace }: Team, member: Person, body: object) =>
  gateway.ask(who, "PATCH", `/v1/workspace/members/${member.userId}`, { in: workspace, body });
const shown = async (team: Team, member: Person): Promise<any> =>
  (await gateway.ask(team.viewer, "GET", "/v1/workspace/members", { in: team.workspace })).json.data.find(
    ({ id }: any) => id === member.userId,
  );
const keyBy = async (who: Person, { workspace }: Team): Promise<string> =>
  (await gateway.ask(who, "POST", "/v1/auth/keys", { in: workspace, body: { name: "k" } })).json.api_key;
const chat = (key: string, more: object = {}) =>
  gateway.request("POST", "/v1/chat/completions", { key, body: { model: "demo/chat", messages: hello, ...more } });
const refusal = [402, "key_limit_reached"];
/** With 20 USD. */
async function paidTeam(): Promise<Team> {
  const team = await gateway.team();
  const entry = { kind: "deposit", amount: parseUsd("20")!, ref: "test", at: new Date() } as const;
  await postEntry(gateway.context.db, { accountId: team.accountId, ...entry });
  return team;
}

describe("setting it", () => {
  test("by an owner or admin, without a role; it is shown to every member", async () => {
    const team = await gateway.team();
    const before = await shown(team, team.developer);
    expect(before).toMatchObject({ limit_usd: null, limit_resets: "never", spent_usd: 0, remaining_usd: null, resets_at: null });
    const reply = await set(team.admin, team, team.developer, { limit_usd: 5, limit_resets: "hourly" });
    expect(reply.json).toEqual({ ...before, limit_usd: 5, limit_resets: "hourly", remaining_usd: 5, resets_at: expect.any(String) });
    expect(Date.parse(reply.json.resets_at) % 3_600_000).toBe(0);
    expect(await shown(team, team.developer)).toMatchObject({ role: "developer", limit_usd: 5, limit_resets: "hourly" });
    expect((await set(team.owner, team, team.developer, { limit_resets: "never" })).json).toMatchObject({ limit_usd: 5, resets_at: null });
    expect((await set(team.owner, team, team.developer, { limit_usd: 0, role: "viewer" })).json).toMatchObject({
      ...{ role: "viewer", limit_usd: 0, remaining_usd: 0 },
    });
    expect((await set(team.owner, team, team.developer, { role: "developer", limit_usd: null })).json).toEqual(before);
  });

  test("an empty change, and a period without a limit, change nothing", async () => {
    const team = await gateway.team();
    const before = await shown(team, team.billing);
    expect((await set(team.admin, team, team.billing, {})).json).toEqual(before);
    expect((await set(team.admin, team, team.billing, { limit_resets: "daily" })).json).toEqual(before);
  });

  test("403 for other members, for an admin who would bound an owner, and for a stranger; 404 for a person who is no member", async () => {
    const team = await gateway.team();
    const stranger = await gateway.person();
    for (const who of [team.developer, team.billing, team.viewer, stranger])
      expect(codeOf(await set(who, team, team.developer, { limit_usd: 1 }))).toEqual(denied);
    expect(codeOf(await set(team.admin, team, team.owner, { limit_usd: 1 }))).toEqual(denied);
    expect((await set(team.owner, team, team.owner, { limit_usd: 1 })).json).toMatchObject({ role: "owner", limit_usd: 1 });
    expect(codeOf(await set(team.owner, team, stranger, { limit_usd: 1 }))).toEqual([404, "member_not_found"]);
  });

  test.each([{ limit_usd: -1 }, { limit_usd: "5" }, { limit_usd: 0.000000001 }, { limit_resets: "yearly" }, { role: 5 }])(
    "400 invalid_parameter for %j",
    async (body) => {
      const team = await gateway.team();
      expect(codeOf(await set(team.owner, team, team.developer, body))).toEqual([400, "invalid_parameter"]);
      expect(await shown(team, team.developer)).toMatchObject({ role: "developer", limit_usd: null });
    },
  );
});

describe("a call with a key of the member", () => {
  test("402 key_limit_reached above it, with any key: the message names the member's budget; others' keys spend on", async () => {
    const team = await paidTeam();
    const [first, theirs] = [await keyBy(team.developer, team), await keyBy(team.admin, team)];
    expect((await chat(first)).status).toBe(200);
    const { spent_usd } = await shown(team, team.developer);
    expect(spent_usd).toBeGreaterThan(0);
    expect((await set(team.owner, team, team.developer, { limit_usd: spent_usd })).json).toMatchObject({ spent_usd, remaining_usd: 0 });
    const second = await keyBy(team.developer, team);
    for (const key of [first, second]) {
      const reply = await chat(key);
      expect(codeOf(reply)).toEqual(refusal);
      expect(reply.json.error.message).toContain(`and all others of member ${team.developer.userId} together may spend ${spent_usd}`);
      expect(reply.json).toMatchObject({ have_usd: 0, details: { member: team.developer.userId, affordable_max_tokens: 0 } });
      expect(reply.json.balance).toBeGreaterThan(19);
    }
    expect((await chat(theirs)).status).toBe(200);
    await set(team.owner, team, team.developer, { limit_usd: null });
    expect((await chat(second)).status).toBe(200);
  });

  test("resets_at says when a recurring budget begins anew; max_tokens is lowered to what it pays, and a quote says the same", async () => {
    const team = await paidTeam();
    const key = await keyBy(team.developer, team);
    await set(team.owner, team, team.developer, { limit_usd: 0.0001, limit_resets: "monthly" });
    const quote = await gateway.request("POST", "/v1/quote", {
      key,
      body: { operation: "createChatCompletion", body: { model: "demo/chat", messages: hello, max_tokens: 900 } },
    });
    expect(quote.json).toMatchObject({ admitted: true, checks: { key_budget: { ok: true, left_usd: 0.0001 } } });
    const lowered = Number((await chat(key, { max_tokens: 900 })).headers["x-svc-max-tokens-clamped"]);
    expect(lowered).toBe(quote.json.max_tokens_clamped);
    expect(lowered).toBeLessThan(100);
    const { resets_at } = (await set(team.owner, team, team.developer, { limit_usd: 0.00000001 })).json;
    const refused = await chat(key);
    expect(codeOf(refused)).toEqual(refusal);
    expect(refused.json.resets_at).toBe(resets_at);
    expect(refused.json.error.message).toContain("in each month");
  });

  test("of 24 calls at once with four keys exactly as many are admitted as it pays", async () => {
    const team = await paidTeam();
    const keys: string[] = [];
    for (let n = 0; n < 4; n += 1) keys.push(await keyBy(team.developer, team));
    const { json } = await gateway.request("POST", "/v1/quote", {
      key: keys[0]!,
      body: { operation: "createChatCompletion", body: { model: "demo/slow", messages: hello, max_tokens: 1 } },
    });
    await set(team.owner, team, team.developer, { limit_usd: Number((json.reserve_usd * 3).toFixed(8)) });
    const replies = await Promise.all(Array.from({ length: 24 }, (_, n) => chat(keys[n % 4]!, { model: "demo/slow", max_tokens: 1 })));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(replies.filter((reply) => codeOf(reply)[1] === "key_limit_reached")).toHaveLength(21);
  });

  test("it bounds keys that were kept when the member left, and is there when the person joins again", async () => {
    const team = await paidTeam();
    const key = await keyBy(team.developer, team);
    await set(team.owner, team, team.developer, { limit_usd: 0 });
    await gateway.ask(team.owner, "DELETE", `/v1/workspace/members/${team.developer.userId}?keys=keep`, { in: team.workspace });
    expect(codeOf(await chat(key))).toEqual(refusal);
    await gateway.join(team.accountId, team.developer, "developer");
    expect(await shown(team, team.developer)).toMatchObject({ limit_usd: 0 });
  });
});
