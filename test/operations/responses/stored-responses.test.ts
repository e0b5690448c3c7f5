// Responses that a workspace stores: what comes back and to whom, what is not stored, how it is kept, and when it ends.
import { describe, expect, test } from "vitest";
import { sweepResponses } from "../../../src/accounts/stored-responses.ts";
import { whileFailing } from "../../support/failing-statements.ts";
import { eventsOf, respond, weather } from "./responses-gateway.ts";
import { codeOf, storedWorld, uuidOf } from "./stored-world.ts";

const { world, query, keepFor, ask, storing, get, answered, rowsOf, openai } = storedWorld();
const sweep = (bytesMax = 1e9) => sweepResponses(world.gateway.context.db, { at: world.gateway.context.clock(), bytesMax });

describe("getResponse, listResponseInputItems and deleteResponse 200", () => {
  test("a response comes back as it was answered, to every key of its workspace, until it is deleted", async () => {
    const account = await storing();
    const made = await answered(account, { instructions: "Be brief.", metadata: { trip: "north" } });
    expect(made).toMatchObject({ store: true, status: "completed", id: expect.stringMatching(/^resp_[0-9a-f]{32}$/) });
    const { token } = await world.gateway.createSession(account);
    const { api_key: key } = (await ask({ key: token }, "POST", "/v1/auth/keys", { name: "second" })).json;
    expect((await get({ key }, made.id)).json).toEqual(made);
    expect((await ask(account, "DELETE", `/v1/responses/${made.id}`)).json).toEqual({ id: made.id, object: "response", deleted: true });
    for (const path of ["", "/input_items"]) expect(codeOf(await get(account, made.id, path))).toEqual([404, "response_not_found", null]);
    expect(await rowsOf(account)).toEqual([]);
  });

  test("the items of its request, in pages either way, each with an id; 400 after another response's item", async () => {
    const account = await storing();
    const call = { type: "function_call", call_id: "c1", name: "get_weather", arguments: "{}" };
    const result = { type: "function_call_output", call_id: "c1", output: "rain" };
    const input = [
      { role: "user", content: "Weather?" },
      call,
      result,
      { role: "assistant", content: "Rain." },
      { role: "user", content: "Ok" },
    ];
    const { id } = await answered(account, { input, tools: [weather] });
    const all = (await get(account, id, "/input_items?order=asc")).json;
    const tail = uuidOf(id);
    const part = (type: string, text: string) => [{ type, text, ...(type === "output_text" ? { annotations: [] } : {}) }];
    expect(all).toEqual({
      object: "list",
      data: [
        { id: `msg_${tail}_i0`, type: "message", role: "user", status: "completed", content: part("input_text", "Weather?") },
        { id: `fc_${tail}_i1`, ...call },
        { id: `item_${tail}_i2`, ...result },
        { id: `msg_${tail}_i3`, type: "message", role: "assistant", status: "completed", content: part("output_text", "Rain.") },
        { id: `msg_${tail}_i4`, type: "message", role: "user", status: "completed", content: part("input_text", "Ok") },
      ],
      has_more: false,
      first_id: `msg_${tail}_i0`,
      last_id: `msg_${tail}_i4`,
    });
    const first = (await get(account, id, "/input_items?limit=3")).json;
    expect([first.data, first.has_more]).toEqual([all.data.toReversed().slice(0, 3), true]);
    const rest = (await get(account, id, `/input_items?limit=3&after=${first.last_id}`)).json;
    expect([rest.data, rest.has_more]).toEqual([all.data.toReversed().slice(3), false]);
    expect(codeOf(await get(account, id, "/input_items?after=msg_1"))).toEqual([400, "invalid_parameter", "after"]);
    expect(codeOf(await get(account, id, "/input_items?limit=0"))).toEqual([400, "invalid_parameter", "limit"]);
  });

  test("a stream's response is stored when it has ended, and its last event is what comes back", async () => {
    const account = await storing();
    const events = eventsOf(await respond(world, account, { model: "best", stream: true }));
    const { response } = events.at(-1);
    expect([events[0].response.store, response.store, response.status]).toEqual([true, true, "completed"]);
    expect((await get(account, response.id)).json).toEqual(response);
  });

  test("an incomplete response is stored, and gone on from", async () => {
    const account = await storing();
    const made = await answered(account, { max_output_tokens: 1 });
    expect([made.status, made.store]).toEqual(["incomplete", true]);
    expect((await get(account, made.id)).json).toEqual(made);
    expect((await answered(account, { previous_response_id: made.id })).status).toBe("completed");
  });

  test("OpenAI's library stores, retrieves, lists, goes on and deletes", async () => {
    const client = openai(await storing());
    const first = await client.responses.create({ model: "best", input: "My dog is called Rex." });
    const second = await client.responses.create({ model: "best", input: "And my cat?", previous_response_id: first.id });
    expect(second.previous_response_id).toBe(first.id);
    expect((await client.responses.retrieve(second.id)).output_text).toBe(second.output_text);
    const items = [];
    for await (const item of client.responses.inputItems.list(second.id, { limit: 1 })) items.push(item);
    expect(items).toMatchObject([{ type: "message", role: "user", content: [{ type: "input_text", text: "And my cat?" }] }]);
    const streamed = client.responses.stream({ model: "best", input: "Go on.", previous_response_id: second.id });
    expect((await streamed.finalResponse()).status).toBe("completed");
    await client.responses.delete(second.id);
    await expect(client.responses.retrieve(second.id)).rejects.toMatchObject({ status: 404, code: "response_not_found" });
  });
});

describe("what is not stored", () => {
  test("a request with store: false, one that only checks, an interrupted stream; each says so", async () => {
    const account = await storing();
    expect((await answered(account, { store: false })).store).toBe(false);
    expect((await answered(account, { generate: false })).store).toBe(false);
    const events = eventsOf(await respond(world, account, { model: "demo/cut", stream: true }));
    expect([events.at(-1).type, events.at(-1).response.store]).toEqual(["response.failed", false]);
    expect(codeOf(await get(account, events[0].response.id))).toEqual([404, "response_not_found", null]);
    expect((await rowsOf(account)).map(({ response }) => response)).toEqual([null]);
  });

  test("in a workspace that does not ask for it nothing is: the words and answers are as ever, and no statement is about it", async () => {
    const account = await world.account();
    const stored = await answered(await storing());
    const { seen } = await whileFailing(world.gateway.context.db, { part: "stored_response", code: "XX000" }, async () => {
      for (const store of [true, undefined])
        expect(await answered(account, { store })).toMatchObject({ store: false, previous_response_id: null });
      const refused = await respond(world, account, { model: "best", previous_response_id: stored.id });
      expect([...codeOf(refused), refused.json.error.message]).toEqual([
        ...[400, "stateless_only", "previous_response_id"],
        "previous_response_id needs stored data, and nothing is stored here: send the whole conversation as input, with store: false.",
      ]);
      const input = [{ type: "item_reference", id: stored.output[0].id }];
      expect(codeOf(await respond(world, account, { model: "best", input }))).toEqual([400, "stateless_only", "input[0]"]);
      for (const [method, path] of [
        ["GET", ""],
        ["GET", "/input_items"],
        ["DELETE", ""],
      ] as const)
        expect(codeOf(await ask(account, method, `/v1/responses/${stored.id}${path}`))).toEqual([404, "response_not_found", null]);
    });
    expect(seen).toBe(0);
  });

  test.each([
    ["its input", "insert into stored_response", false],
    ["its input, of a stream", "insert into stored_response", true],
    ["its answer", "update stored_response", false],
    ["its answer, of a stream", "update stored_response", true],
  ])("a response is answered and charged where %s can't be stored, and says that it is not", async (_, part, stream) => {
    const account = await storing();
    const { result } = await whileFailing(world.gateway.context.db, { part, code: "57014" }, () =>
      respond(world, account, { model: "best", stream }),
    );
    const response = stream ? eventsOf(result).at(-1).response : result.json;
    expect([result.status, response.status, response.store]).toEqual([200, "completed", false]);
    expect(await world.gateway.balance(account)).toMatchObject({ reserved: 0, spent: response.usage.cost });
    expect(codeOf(await get(account, response.id))).toEqual([404, "response_not_found", null]);
  });

  test("more than 8 MB of input", async () => {
    const account = await storing("2000");
    const made = await answered(account, {
      input: [
        { role: "user", content: "Hi" },
        { type: "reasoning", summary: [], pad: "x".repeat(8 * 1024 * 1024) },
      ],
    });
    expect(made.store).toBe(false);
  });
});

describe("at rest", () => {
  test("neither question nor answer can be read without the secret, and a row opens nowhere else", async () => {
    const account = await storing();
    const other = await storing();
    const made = await answered(account, { input: "a secret question" });
    const [row] = await rowsOf(account);
    for (const bytes of [row!.input, row!.response!]) expect(bytes.toString("latin1")).not.toMatch(/secret|You said|output_text/);
    await query("update stored_response set account_id = $2 where id = $1", [uuidOf(made.id), other.accountId]);
    expect(codeOf(await get(other, made.id))).toEqual([404, "response_not_found", null]);
  });

  test("a response ends when its workspace keeps it no longer; fewer days count for those that are stored", async () => {
    const account = await storing();
    const [old, young] = [await answered(account), await answered(account)];
    await query("update stored_response set created_at = created_at - interval '10 days' where id = $1", [uuidOf(old.id)]);
    expect((await get(account, old.id)).status).toBe(200);
    await keepFor(account, 7);
    expect([(await get(account, old.id)).status, (await get(account, young.id)).status]).toEqual([404, 200]);
    await sweep();
    expect((await rowsOf(account)).map(({ id }) => id.replaceAll("-", ""))).toEqual([uuidOf(young.id)]);
    await keepFor(account, null);
    await sweep();
    expect(await rowsOf(account)).toEqual([]);
  });

  test("the sweep removes what has no answer after a day, and the oldest of more than a workspace may store", async () => {
    const account = await storing();
    const [first, second] = [await answered(account), await answered(account)];
    await query(
      `insert into stored_response (account_id, id, created_at, input) values
         ($1, gen_random_uuid(), now() - interval '25 hours', 'a'), ($1, '00000000-0000-4000-8000-000000000001', now() - interval '1 hour', 'a')`,
      [account.accountId],
    );
    await sweep();
    const left = (await rowsOf(account)).map(({ id }) => id.replaceAll("-", ""));
    expect(left.sort()).toEqual(["00000000000040008000000000000001", uuidOf(first.id), uuidOf(second.id)].sort());
    const { rows } = await query<{ bytes: number }>(
      "select octet_length(input) + octet_length(response) as bytes from stored_response where id = $1",
      [uuidOf(second.id)],
    );
    await sweep(rows[0]!.bytes);
    expect((await rowsOf(account)).map(({ id }) => id.replaceAll("-", ""))).toEqual([uuidOf(second.id)]);
  });

  test("they are in the account's export, and gone with the account", async () => {
    const account = await storing("1");
    const { token } = await world.gateway.createSession(account);
    const made = await answered(account, { input: "Where is the light?" });
    const { text } = await ask({ key: token }, "GET", "/v1/account/export");
    const line = text.split("\n").find((one) => one.startsWith('{"record":"response"'));
    expect(JSON.parse(line!)).toMatchObject({ input: [{ content: [{ text: "Where is the light?" }] }], response: made });
    const deleted = await ask({ key: token }, "DELETE", "/v1/account?forfeit_balance=true");
    expect([deleted.status, await rowsOf(account)]).toEqual([200, []]);
  });
});

describe("PATCH /v1/workspace", () => {
  test("response_retention_days: an owner has responses stored for 1 to 365 days, and deletes all with null", async () => {
    const account = await world.account();
    const { token } = await world.gateway.createSession(account);
    const change = (body: object) => ask({ key: token }, "PATCH", "/v1/workspace", body);
    const days = async () => (await ask({ key: token }, "GET", "/v1/workspace")).json.response_retention_days;
    expect([await days(), (await answered(account)).store]).toEqual([null, false]);
    expect((await change({ response_retention_days: 365 })).json.response_retention_days).toBe(365);
    await expect.poll(async () => (await answered(account)).store).toBe(true);
    const { name } = (await change({ name: "Lights" })).json;
    expect([name, await days()]).toEqual(["Lights", 365]);
    for (const response_retention_days of [0, 366, 1.5, "7"])
      expect(codeOf(await change({ response_retention_days }))).toEqual([400, "invalid_parameter", "response_retention_days"]);
    expect((await change({ response_retention_days: null })).json).toMatchObject({ name, response_retention_days: null });
    expect(await rowsOf(account)).toEqual([]);
    await expect.poll(async () => (await answered(account)).store).toBe(false);
  });
});
