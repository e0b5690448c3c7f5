// Conversations that a workspace stores: what their endpoints make, change and refuse, for whom, how they are kept, and when they end.
import { describe, expect, test } from "vitest";
import { sweepResponses } from "../../../src/accounts/stored-responses.ts";
import { whileFailing } from "../../support/failing-statements.ts";
import { codeOf, storedWorld } from "./stored-world.ts";

const { world, query, keepFor, ask, storing, openai } = storedWorld();
const sweep = (bytesMax = 1e9) => sweepResponses(world.gateway.context.db, { at: world.gateway.context.clock(), bytesMax });
type Key = Parameters<typeof ask>[0];
const make = async (account: Key, body: object = {}) => {
  const reply = await ask(account, "POST", "/v1/conversations", body);
  expect(reply.status).toBe(200);
  return reply.json;
};
const user = (content: string) => ({ type: "message", role: "user", content });
const add = (account: Key, id: string, items: object[]) => ask(account, "POST", `/v1/conversations/${id}/items`, { items });
const list = async (account: Key, id: string, query = "order=asc") =>
  (await ask(account, "GET", `/v1/conversations/${id}/items?${query}`)).json;
const uuid = (id: string) => id.slice("conv_".length);
const places = (id: string) => [`/v1/conversations/${id}`, `/v1/conversations/${id}/items`, `/v1/conversations/${id}/items/msg_1`];

describe("the endpoints 200", () => {
  test("a conversation is created, read, changed and deleted by every key of its workspace", async () => {
    const account = await storing();
    const made = await make(account, { metadata: { trip: "north" } });
    expect(made).toEqual({
      id: expect.stringMatching(/^conv_[0-9a-f]{32}$/),
      object: "conversation",
      created_at: expect.any(Number),
      metadata: { trip: "north" },
    });
    const { token } = await world.gateway.createSession(account);
    const { api_key: key } = (await ask({ key: token }, "POST", "/v1/auth/keys", { name: "second" })).json;
    const path = `/v1/conversations/${made.id}`;
    expect((await ask({ key }, "GET", path)).json).toEqual(made);
    const changed = { ...made, metadata: { trip: "south", crew: "2" } };
    expect((await ask({ key }, "POST", path, { metadata: changed.metadata })).json).toEqual(changed);
    expect((await ask(account, "GET", path)).json).toEqual(changed);
    expect((await ask(account, "POST", path, { metadata: null })).json.metadata).toEqual({});
    expect((await ask({ key }, "DELETE", path)).json).toEqual({ id: made.id, object: "conversation.deleted", deleted: true });
    for (const gone of places(made.id)) expect(codeOf(await ask(account, "GET", gone))).toEqual([404, "conversation_not_found", null]);
  });

  test("items get ids and parts, are listed in pages either way, read and deleted one by one", async () => {
    const account = await storing();
    const { id } = await make(account, { items: [user("One")] });
    const added = (await add(account, id, [{ role: "assistant", content: "Two" }, user("Three")])).json;
    const part = (type: string, text: string) => [{ type, text, ...(type === "output_text" ? { annotations: [] } : {}) }];
    expect(added).toMatchObject({
      object: "list",
      has_more: false,
      data: [
        { type: "message", role: "assistant", status: "completed", content: part("output_text", "Two") },
        { type: "message", role: "user", status: "completed", content: part("input_text", "Three") },
      ],
    });
    const all = await list(account, id);
    expect(all.data.map(({ content }: any) => content[0].text)).toEqual(["One", "Two", "Three"]);
    expect(all.data.slice(1)).toEqual(added.data);
    const first = await list(account, id, "limit=2");
    expect([first.data, first.has_more, first.last_id]).toEqual([all.data.toReversed().slice(0, 2), true, all.data[1].id]);
    const rest = await list(account, id, `limit=2&after=${first.last_id}`);
    expect([rest.data, rest.has_more]).toEqual([[all.data[0]], false]);
    expect((await list(account, id, `after=${all.data[0].id}`)).data).toEqual([]);
    expect((await list(account, id, "after=msg_1")).error).toMatchObject({ code: "invalid_parameter", param: "after" });
    const path = `/v1/conversations/${id}/items/${all.data[1].id}`;
    expect((await ask(account, "GET", path)).json).toEqual(all.data[1]);
    expect((await ask(account, "DELETE", path)).json.id).toBe(id);
    expect((await list(account, id)).data).toEqual([all.data[0], all.data[2]]);
    for (const method of ["GET", "DELETE"])
      expect(codeOf(await ask(account, method, path))).toEqual([404, "conversation_item_not_found", null]);
  });

  test("OpenAI's library creates, retrieves, updates, lists, goes on and deletes", async () => {
    const client = openai(await storing());
    const empty = await client.conversations.create();
    expect(empty.metadata).toEqual({});
    const { id } = await client.conversations.create({ items: [{ role: "user", content: "My dog is called Rex." }], metadata: { a: "b" } });
    expect(await client.conversations.update(id, { metadata: { a: "c" } })).toMatchObject({ id, metadata: { a: "c" } });
    expect((await client.conversations.retrieve(id)).metadata).toEqual({ a: "c" });
    const response = await client.responses.create({ model: "best", input: "And my cat?", conversation: id });
    expect(response.conversation).toEqual({ id });
    const streamed = client.responses.stream({ model: "best", input: "Go on.", conversation: { id } });
    expect((await streamed.finalResponse()).status).toBe("completed");
    const added = await client.conversations.items.create(id, { items: [{ role: "user", content: "One more." }] });
    const items = [];
    for await (const item of client.conversations.items.list(id, { limit: 2, order: "asc" })) items.push(item);
    expect(items.map((item) => (item as { role?: string }).role)).toEqual(["user", "user", "assistant", "user", "assistant", "user"]);
    expect(await client.conversations.items.retrieve(added.first_id, { conversation_id: id })).toEqual(added.data[0]);
    expect((await client.conversations.items.delete(added.first_id, { conversation_id: id })).id).toBe(id);
    expect(await client.conversations.delete(id)).toEqual({ id, object: "conversation.deleted", deleted: true });
    await expect(client.conversations.retrieve(id)).rejects.toMatchObject({ status: 404, code: "conversation_not_found" });
    await expect(client.responses.create({ model: "best", input: "x", conversation: id })).rejects.toMatchObject({ status: 404 });
  });
});

describe("what is refused", () => {
  test("400 stateless_only and 404 conversation_not_found in a workspace that stores none, and no statement is about it", async () => {
    const { id } = await make(await storing());
    const account = await world.account();
    const { seen } = await whileFailing(world.gateway.context.db, { part: "conversation", code: "XX000" }, async () => {
      const refused = await ask(account, "POST", "/v1/conversations", {});
      expect([...codeOf(refused), refused.json.error.message]).toEqual([
        ...[400, "stateless_only", null],
        "A conversation needs stored data, and nothing is stored here: send all of it as input to POST /v1/responses, with store: false.",
      ]);
      for (const path of places(id)) {
        const { json } = await ask(account, "GET", path);
        expect(json.error.message).toBe(
          `There is no conversation ${id} in this workspace: nothing is stored here, so send the whole conversation to POST /v1/responses.`,
        );
      }
    });
    expect(seen).toBe(0);
  });

  test("404 conversation_not_found: another workspace's answers as an unknown one does, to every operation", async () => {
    const account = await storing();
    const other = await storing();
    const { id } = await make(account, { items: [user("One")] });
    const [item] = (await list(account, id)).data;
    const unknown = "conv_0195c1f2a7e07c3189d2b4a5c6d7e8f9";
    const all = (target: string) =>
      [
        ...(["GET", "DELETE"] as const).map((method) => [method, `/v1/conversations/${target}`, undefined] as const),
        ["POST", `/v1/conversations/${target}`, { metadata: null }],
        ["GET", `/v1/conversations/${target}/items`, undefined],
        ["POST", `/v1/conversations/${target}/items`, { items: [user("Two")] }],
        ["GET", `/v1/conversations/${target}/items/${item.id}`, undefined],
        ["DELETE", `/v1/conversations/${target}/items/${item.id}`, undefined],
        ["POST", "/v1/responses", { model: "best", input: "x", conversation: target }],
      ] as const;
    for (const target of [id, unknown, "conv_1", "x"])
      for (const [method, path, body] of all(target)) {
        const reply = await ask(other, method, path, body);
        expect(codeOf(reply).slice(0, 2)).toEqual([404, "conversation_not_found"]);
        expect(reply.json.error.message).toBe(`There is no conversation ${target} in this workspace.`);
      }
    expect((await list(account, id)).data).toEqual([item]);
  });

  test("400 for what no response could go on with, by the item's place; 400 invalid_parameter for metadata and more than 20 items", async () => {
    const account = await storing();
    const { id } = await make(account);
    const refused = async (items: object[]) => codeOf(await add(account, id, items));
    expect(await refused([user("a"), { type: "moon" }])).toEqual([400, "unsupported_content", "items[1]"]);
    expect(await refused([user("a"), { content: "b" }])).toEqual([400, "missing_parameter", "items[1].role"]);
    expect(await refused([{ type: "item_reference", id: "msg_1" }])).toEqual([400, "invalid_parameter", "items[0].type"]);
    const image = [{ type: "input_image", image_url: "http://169.254.169.254/" }];
    expect((await refused([{ role: "user", content: image }])).slice(0, 2)).toEqual([400, "invalid_parameter"]);
    const file = [{ type: "input_file", file_id: "file_1" }];
    expect((await refused([{ role: "user", content: file }])).slice(0, 2)).toEqual([400, "stateless_only"]);
    expect(await refused([])).toEqual([400, "invalid_parameter", "items"]);
    expect(await refused(Array.from({ length: 21 }, () => user("a")))).toEqual([400, "invalid_parameter", "items"]);
    expect((await add(account, id, [{ type: "reasoning", summary: [] }])).status).toBe(200);
    const create = async (body: object) => codeOf(await ask(account, "POST", "/v1/conversations", body));
    expect(await create({ items: [{ type: "moon" }] })).toEqual([400, "unsupported_content", "items[0]"]);
    expect(await create({ metadata: { ["k".repeat(65)]: "v" } })).toEqual([400, "invalid_parameter", "metadata"]);
    expect((await create({ metadata: { k: "v".repeat(513) } })).slice(0, 2)).toEqual([400, "invalid_parameter"]);
    expect(codeOf(await ask(account, "POST", `/v1/conversations/${id}`, {}))).toEqual([400, "missing_parameter", "metadata"]);
  });

  test("400 invalid_parameter: more than 2,000 items or 8 MB, of which nothing is added; 403 conversation_limit_reached: 10,000 of a workspace", async () => {
    const account = await storing();
    const { id } = await make(account, { items: [user("One")] });
    const set = (column: string, value: number) => query(`update conversation set ${column} = $2 where id = $1`, [uuid(id), value]);
    await set("items", 1_999);
    expect(codeOf(await add(account, id, [user("a"), user("b")]))).toEqual([400, "invalid_parameter", "items"]);
    expect((await add(account, id, [user("a")])).status).toBe(200);
    await set("items", 2);
    await set("bytes", 8 * 1024 ** 2 - 10);
    expect(codeOf(await add(account, id, [user("b")]))).toEqual([400, "invalid_parameter", "items"]);
    expect((await list(account, id)).data).toHaveLength(2);
    await query(
      `insert into conversation (account_id, id, created_at, changed_at, metadata)
       select $1, gen_random_uuid(), now(), now(), 'a' from generate_series(1, 9999)`,
      [account.accountId],
    );
    expect(codeOf(await ask(account, "POST", "/v1/conversations", {}))).toEqual([403, "conversation_limit_reached", null]);
  });
});

describe("at rest", () => {
  test("neither items nor metadata can be read without the secret, and a row opens nowhere else", async () => {
    const account = await storing();
    const other = await storing();
    const { id } = await make(account, { items: [user("a secret question")], metadata: { a: "secret" } });
    const { rows } = await query<{ bytes: Buffer }>(
      `select metadata as bytes from conversation where id = $1 union all select item from conversation_item where conversation_id = $1`,
      [uuid(id)],
    );
    expect(rows).toHaveLength(2);
    for (const { bytes } of rows) expect(bytes.toString("latin1")).not.toMatch(/secret|input_text/);
    const { id: target } = await make(other, { items: [user("b")] });
    await query("update conversation set metadata = (select metadata from conversation where id = $2) where id = $1", [
      ...[uuid(target), uuid(id)],
    ]);
    expect(codeOf(await ask(other, "GET", `/v1/conversations/${target}`))).toEqual([404, "conversation_not_found", null]);
    expect(codeOf(await add(other, target, [user("c")]))).toEqual([404, "conversation_not_found", null]);
    const going = await ask(other, "POST", "/v1/responses", { model: "best", input: "x", conversation: target });
    expect(codeOf(going)).toEqual([404, "conversation_not_found", "conversation"]);
  });

  test("it ends so many days after its last change as its workspace keeps responses; with null at once, with all items", async () => {
    const account = await storing();
    const [unused, used] = [await make(account, { items: [user("a")] }), await make(account)];
    const age = () =>
      query("update conversation set changed_at = changed_at - interval '10 days' where account_id = $1", [account.accountId]);
    await age();
    await keepFor(account, 11);
    expect((await add(account, used.id, [user("b")])).status).toBe(200);
    await keepFor(account, 7);
    const statuses = async () =>
      Promise.all([unused, used].map(async ({ id }) => (await ask(account, "GET", `/v1/conversations/${id}`)).status));
    expect(await statuses()).toEqual([404, 200]);
    await sweep();
    const left = async () =>
      (await query<{ id: string }>("select id from conversation where account_id = $1", [account.accountId])).rows.map(({ id }) =>
        id.replaceAll("-", ""),
      );
    expect(await left()).toEqual([uuid(used.id)]);
    const { token } = await world.gateway.createSession(account);
    await ask({ key: token }, "PATCH", "/v1/workspace", { response_retention_days: null });
    expect(await left()).toEqual([]);
    expect((await query("select 1 from conversation_item where account_id = $1", [account.accountId])).rows).toEqual([]);
  });

  test("the sweep removes the longest unused of more bytes than a workspace may store", async () => {
    const account = await storing();
    const made = [await make(account, { items: [user("a")] }), await make(account, { items: [user("a")] })];
    const [first, second] = made.map(({ id }) => uuid(id));
    const { rows } = await query<{ bytes: bigint }>("select bytes from conversation where id = $1", [second]);
    await query("update conversation set changed_at = changed_at - interval '1 minute' where id = $1", [first]);
    await sweep(Number(rows[0]!.bytes));
    const left = await query<{ id: string }>("select id from conversation where account_id = $1", [account.accountId]);
    expect(left.rows.map(({ id }) => id.replaceAll("-", ""))).toEqual([second]);
  });

  test("they are in the account's export, and gone with the account", async () => {
    const account = await storing("1");
    const { token } = await world.gateway.createSession(account);
    const made = await make(account, { items: [user("Where is the light?")], metadata: { a: "b" } });
    const { text } = await ask({ key: token }, "GET", "/v1/account/export");
    const line = text.split("\n").find((one) => one.startsWith('{"record":"conversation"'));
    expect(JSON.parse(line!)).toMatchObject({
      ...{ id: made.id, metadata: { a: "b" } },
      items: [{ content: [{ text: "Where is the light?" }] }],
    });
    const deleted = await ask({ key: token }, "DELETE", "/v1/account?forfeit_balance=true");
    const { rows } = await query("select 1 from conversation where account_id = $1", [account.accountId]);
    expect([deleted.status, rows]).toEqual([200, []]);
  });
});

test("no answer is kept for a repeat of the request: the conversation has grown meanwhile, and the model sees it", async () => {
  const account = await storing();
  const { id: conversation } = await make(account);
  const body = { model: "demo/kept", input: "Go on." };
  const send = (more: object = {}) =>
    world.gateway.request("POST", "/v1/responses", {
      key: account.key,
      headers: { "x-svc-response-cache": "60" },
      body: { ...body, ...more },
    });
  const before = world.sent().length;
  for (const more of [{ conversation }, { conversation }, { conversation, stream: true }]) {
    const { status, headers } = await send(more);
    expect([status, headers["x-svc-response-cache"]]).toEqual([200, undefined]);
  }
  expect(
    world
      .sent()
      .slice(before)
      .map(({ messages }) => (messages as object[]).length),
  ).toEqual([1, 3, 5]);
  expect([(await send()).headers["x-svc-response-cache"], (await send()).headers["x-svc-response-cache"]]).toEqual(["miss", "hit"]);
});
