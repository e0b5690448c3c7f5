// Responses that go on with a conversation, over HTTP and a WebSocket: what the model gets, what is added, whose turn it is, and what it costs.
import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import { giveTurnBack, keepTurn, takeTurn } from "../../../src/accounts/conversation-turns.ts";
import { parseConversationId } from "../../../src/accounts/conversations.ts";
import { json, startHostileHost } from "../../robustness/hostile-host.ts";
import { eventually } from "../../support/eventually.ts";
import { whileFailing } from "../../support/failing-statements.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { eventsOf, respond, weather } from "./responses-gateway.ts";
import { openSocket } from "./responses-socket.ts";
import { codeOf, storedWorld } from "./stored-world.ts";

const host = await startHostileHost();
afterAll(() => host.stop());
const { world, query, ask, storing, get, answered, promptOf } = storedWorld({}, host.url);
const user = (content: string) => ({ role: "user", content });
const make = async (account: TestAccount, items: object[] = []): Promise<string> =>
  (await ask(account, "POST", "/v1/conversations", { items })).json.id;
const itemsOf = async (account: TestAccount, id: string): Promise<any[]> =>
  (await ask(account, "GET", `/v1/conversations/${id}/items?order=asc&limit=100`)).json.data;
const textsOf = async (account: TestAccount, id: string) =>
  (await itemsOf(account, id)).map(({ role, content }) => [role, content[0].text]);
const uuid = (id: string) => id.slice("conv_".length);
const said = ({ output }: any) => output[0].content[0].text as string;
const usage = { prompt_tokens: 5, completion_tokens: 1 };
const answer = json({ choices: [{ index: 0, message: { content: "Hi" }, finish_reason: "stop" }], usage });
/** A response that goes on with the conversation until it is let go. */
async function held(account: TestAccount, conversation: string) {
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  host.answers.set("host", (...given) => void promise.then(() => answer(...given)));
  const asked = host.asked.length;
  const running = respond(world, account, { model: "demo/host", input: "One", conversation });
  await eventually(() => expect(host.asked).toHaveLength(asked + 1));
  return () => (letGo(), running);
}

describe("conversation", () => {
  test("its items come before the input, input and output are added after; it costs what it costs when it is sent", async () => {
    const account = await storing();
    const conversation = await make(account, [user("Zero")]);
    const first = await answered(account, { input: "One", conversation, instructions: "Be brief." });
    const second = await answered(account, { input: [user("Two")], conversation: { id: conversation } });
    expect([first.conversation, second.conversation]).toEqual([{ id: conversation }, { id: conversation }]);
    expect(first.previous_response_id).toBeNull();
    const all = [user("Zero"), user("One"), { role: "assistant", content: said(first) }, user("Two")];
    expect(promptOf(1)).toEqual(all);
    const items = await itemsOf(account, conversation);
    expect(items.map(({ role }) => role)).toEqual(["user", "user", "assistant", "user", "assistant"]);
    expect([items[2], items[4]]).toEqual([first.output[0], second.output[0]]);
    expect((await get(account, second.id)).json).toEqual(second);
    const other = await world.account();
    const sent = await answered(other, { input: all });
    expect([second.usage, sent.conversation]).toEqual([sent.usage, undefined]);
    expect((await world.gateway.balance(account)).spent).toBeCloseTo(first.usage.cost + second.usage.cost, 8);
    const count = async (who: TestAccount, body: object) =>
      (await ask(who, "POST", "/v1/responses/input_tokens", { model: "best", ...body })).json;
    const more = [...all, { role: "assistant", content: said(second) }, user("Three")];
    expect(await count(account, { input: "Three", conversation })).toEqual(await count(other, { input: more }));
  });

  test("what the model has room for, and what is held, see the whole conversation; a refused request adds nothing", async () => {
    const account = await storing();
    const conversation = await make(account, [user("word ".repeat(600))]);
    const reply = await respond(world, account, { model: "demo/small", conversation });
    expect(codeOf(reply).slice(0, 2)).toEqual([400, "request_rejected"]);
    const quote = async (input: object) =>
      (
        await ask(account, "POST", "/v1/quote", {
          operation: "createResponse",
          body: { model: "best", input: "x", max_output_tokens: 10, ...input },
        })
      ).json;
    expect((await quote({ conversation })).reserve_usd).toBeGreaterThan((await quote({})).reserve_usd);
    expect(await itemsOf(account, conversation)).toHaveLength(1);
    expect((await answered(account, { conversation })).status).toBe("completed");
  });

  test("a tool's call is added: its result alone goes on with it; an item_reference may name an item of it", async () => {
    const account = await storing();
    const conversation = await make(account, [user("My dog is called Rex.")]);
    const first = await answered(account, { input: "Call get_weather", tools: [weather], conversation });
    const call = first.output.find(({ type }: { type: string }) => type === "function_call");
    const output = [{ type: "function_call_output", call_id: call.call_id, output: "rain" }];
    await answered(account, { input: output, tools: [weather], conversation });
    expect(promptOf(1).map(({ role }) => role)).toEqual(["user", "user", "assistant", "tool"]);
    const [item] = await itemsOf(account, conversation);
    await answered(account, { input: [{ type: "item_reference", id: item.id }], conversation });
    expect(promptOf(2).at(-1)).toEqual(user("My dog is called Rex."));
  });

  test("store: false adds to it anyway, and stores no response; incomplete answers are added, generate: false adds nothing", async () => {
    const account = await storing();
    const conversation = await make(account);
    const first = await answered(account, { input: "One", conversation, store: false });
    expect([first.store, (await get(account, first.id)).status]).toEqual([false, 404]);
    await answered(account, { input: "Two", conversation, store: false });
    const cut = await answered(account, { input: "Three", conversation, max_output_tokens: 1 });
    expect(cut.status).toBe("incomplete");
    const checked = await answered(account, { input: "Four", conversation, generate: false });
    expect(checked.conversation).toEqual({ id: conversation });
    expect((await textsOf(account, conversation)).map(([, text]) => text)).toEqual([
      ...["One", said(first), "Two", expect.any(String), "Three", said(cut)],
    ]);
  });

  test("a stream adds when it has ended; an interrupted one adds nothing, and gives the turn back", async () => {
    const account = await storing();
    const conversation = await make(account);
    const events = eventsOf(await respond(world, account, { model: "best", input: "One", stream: true, conversation }));
    const { response } = events.at(-1);
    expect([events[0].response.conversation, response.conversation]).toEqual([{ id: conversation }, { id: conversation }]);
    const cut = eventsOf(await respond(world, account, { model: "demo/cut", input: "Two", stream: true, conversation }));
    expect(cut.at(-1).type).toBe("response.failed");
    expect(await textsOf(account, conversation)).toEqual([
      ["user", "One"],
      ["assistant", said(response)],
    ]);
    expect((await answered(account, { conversation })).status).toBe("completed");
  });

  test("an idempotency key's repeat adds nothing more", async () => {
    const account = await storing();
    const conversation = await make(account);
    const send = () =>
      world.gateway.request("POST", "/v1/responses", {
        key: account.key,
        headers: { "idempotency-key": "turn-1" },
        body: { model: "best", input: "One", conversation },
      });
    expect((await send()).json.id).toBe((await send()).json.id);
    expect(await itemsOf(account, conversation)).toHaveLength(2);
  });

  test("over a WebSocket: a turn goes on with it, and is not kept for the connection", async () => {
    const account = await storing();
    const conversation = await make(account, [user("Zero")]);
    const socket = await openSocket(world.gateway.url, { authorization: `Bearer ${account.key}` });
    const turn = async (body: object) => (await socket.turn({ model: "best", ...body })).at(-1);
    const first = (await turn({ input: "One", conversation, store: false })).response;
    expect([first.conversation, promptOf(0).length]).toEqual([{ id: conversation }, 2]);
    expect((await turn({ input: "Two", previous_response_id: first.id })).code).toBe("previous_response_not_found");
    const kept = (await turn({ input: "Three", store: false })).response;
    const both = await turn({ input: "Four", previous_response_id: kept.id, conversation });
    expect([both.code, both.param]).toEqual(["invalid_parameter", "conversation"]);
    socket.close();
  });
});

describe("what is refused", () => {
  test("400 invalid_parameter beside previous_response_id; 400 stateless_only where nothing is stored; nothing is charged", async () => {
    const account = await storing();
    const conversation = await make(account);
    const { id } = await answered(account);
    const { spent } = await world.gateway.balance(account);
    for (const named of [conversation, `conv_${randomUUID()}`]) {
      const reply = await respond(world, account, { model: "best", conversation: named, previous_response_id: id });
      expect(codeOf(reply)).toEqual([400, "invalid_parameter", "conversation"]);
    }
    const other = await world.account();
    expect(codeOf(await respond(world, other, { model: "best", conversation }))).toEqual([400, "stateless_only", "conversation"]);
    const body = { model: "best", input: "x", conversation: "conv_1" };
    for (const path of ["/v1/responses", "/v1/responses/input_tokens"])
      expect(codeOf(await ask(account, "POST", path, body))).toEqual([404, "conversation_not_found", "conversation"]);
    expect(codeOf(await ask(account, "POST", "/v1/quote", { operation: "createResponse", body }))).toEqual([
      ...[404, "conversation_not_found", "body.conversation"],
    ]);
    expect((await world.gateway.balance(account)).spent).toBe(spent);
  });

  test("400 invalid_parameter: it has no room; an answer is added beyond it", async () => {
    const account = await storing();
    const conversation = await make(account, [user("One")]);
    const set = (column: string, value: number) =>
      query(`update conversation set ${column} = $2 where id = $1`, [uuid(conversation), value]);
    await set("items", 2_000);
    expect(codeOf(await respond(world, account, { model: "best", conversation }))).toEqual([400, "invalid_parameter", "conversation"]);
    await set("items", 1_999);
    expect((await answered(account, { conversation })).status).toBe("completed");
    expect(await itemsOf(account, conversation)).toHaveLength(3);
    await set("items", 3);
    await set("bytes", 8 * 1024 ** 2);
    expect(codeOf(await respond(world, account, { model: "best", conversation }))).toEqual([400, "invalid_parameter", "conversation"]);
  });

  test("what fails to be added is logged, and costs nothing but that", async () => {
    const account = await storing();
    const conversation = await make(account);
    for (const part of ["turn_input = $4", "select turn_input"]) {
      const failing = { part, code: "57014" };
      const { result } = await whileFailing(world.gateway.context.db, failing, () => answered(account, { conversation }));
      expect(result.status).toBe("completed");
    }
    expect(await itemsOf(account, conversation)).toEqual([]);
    await answered(account, { conversation });
    expect(await itemsOf(account, conversation)).toHaveLength(2);
  });
});

describe("400 conversation_locked", () => {
  test("one response at a time: of two at once one is refused, without a charge, and so is a change of items; then it goes on", async () => {
    const account = await storing();
    const conversation = await make(account, [user("Zero")]);
    const [{ id: item }] = (await itemsOf(account, conversation)) as [{ id: string }];
    const running = await held(account, conversation);
    const { spent } = await world.gateway.balance(account);
    const path = `/v1/conversations/${conversation}`;
    const refused = await respond(world, account, { model: "best", input: "Two", conversation });
    expect(codeOf(refused)).toEqual([400, "conversation_locked", "conversation"]);
    expect(codeOf(await ask(account, "POST", `${path}/items`, { items: [user("Two")] }))).toEqual([400, "conversation_locked", null]);
    expect(codeOf(await ask(account, "DELETE", `${path}/items/${item}`))).toEqual([400, "conversation_locked", null]);
    expect((await ask(account, "POST", path, { metadata: { a: "b" } })).status).toBe(200);
    expect((await world.gateway.balance(account)).spent).toBe(spent);
    expect((await running()).status).toBe(200);
    await answered(account, { input: "Three", conversation });
    expect((await textsOf(account, conversation)).map(([, text]) => text)).toEqual([
      ...["Zero", "One", expect.any(String), "Three", expect.any(String)],
    ]);
  });

  test("of many at once each that is answered has seen all that were answered before it", async () => {
    const account = await storing();
    const conversation = await make(account);
    const sent = Array.from({ length: 12 }, (_, n) => respond(world, account, { model: "best", input: `turn ${n}`, conversation }));
    const replies = await Promise.all(sent);
    const done = replies.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(0);
    for (const reply of replies.filter((one) => !done.includes(one))) expect(codeOf(reply)[1]).toBe("conversation_locked");
    const items = await itemsOf(account, conversation);
    expect(items.map(({ role }) => role)).toEqual(done.flatMap(() => ["user", "assistant"]));
    expect(done.map(({ json }) => json.output[0].id).sort()).toEqual(
      items
        .filter(({ role }) => role === "assistant")
        .map(({ id }) => id)
        .sort(),
    );
  });

  test("deleted while a response goes on with it, it stays deleted, and the response is answered", async () => {
    const account = await storing();
    const conversation = await make(account);
    const running = await held(account, conversation);
    expect((await ask(account, "DELETE", `/v1/conversations/${conversation}`)).status).toBe(200);
    expect((await running()).status).toBe(200);
    expect((await query("select 1 from conversation_item where conversation_id = $1", [uuid(conversation)])).rows).toEqual([]);
  });

  test("the turn of a process that died ends after a minute, and what it left is not added", async () => {
    const account = await storing();
    const conversation = await make(account);
    const hold = (until: string) =>
      query(`update conversation set turn = gen_random_uuid(), turn_until = now() + $2::interval, turn_input = 'a' where id = $1`, [
        ...[uuid(conversation), until],
      ]);
    await hold("1 minute");
    expect(codeOf(await respond(world, account, { model: "best", conversation }))[1]).toBe("conversation_locked");
    await hold("-1 second");
    await answered(account, { input: "One", conversation });
    expect((await textsOf(account, conversation)).map(([role]) => role)).toEqual(["user", "assistant"]);
  });

  test("the turn of a process that lives is kept; one that is another's is left alone", async () => {
    const { accountId, ...account } = await storing();
    const id = await make({ accountId, ...account });
    const { context } = world.gateway;
    const turn = { accountId, id: parseConversationId(id)!, turn: randomUUID() };
    expect(await takeTurn(context, turn)).toBe("taken");
    const left = async () =>
      (
        await query<{ left: number }>("select extract(epoch from turn_until - now())::float8 as left from conversation where id = $1", [
          turn.id,
        ])
      ).rows[0]!.left;
    await query("update conversation set turn_until = now() + interval '1 second' where id = $1", [turn.id]);
    await keepTurn(context, { ...turn, turn: randomUUID() });
    expect(await left()).toBeLessThan(2);
    await keepTurn(context, turn);
    expect(await left()).toBeGreaterThan(50);
    await giveTurnBack(context, { ...turn, turn: randomUUID() });
    expect(await takeTurn(context, { ...turn, turn: randomUUID() })).toBe("locked");
    await giveTurnBack(context, turn);
    expect(await takeTurn(context, turn)).toBe("taken");
  });

  test("a client that disconnects gives the turn back", async () => {
    const account = await storing();
    const conversation = await make(account);
    const leaving = new AbortController();
    const response = await fetch(`${world.gateway.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "demo/paced", input: "One", stream: true, conversation }),
      signal: leaving.signal,
    });
    await response.body!.getReader().read();
    leaving.abort();
    await eventually(async () => expect((await respond(world, account, { model: "best", conversation })).status).toBe(200));
    expect((await textsOf(account, conversation)).map(([role]) => role)).toEqual(["user", "assistant"]);
  });
});
