// What goes on from stored responses: `previous_response_id` and `item_reference`, over HTTP and a WebSocket, and what it costs.
import { describe, expect, test } from "vitest";
import type { TestAccount } from "../../support/gateway.ts";
import { respond, weather } from "./responses-gateway.ts";
import { openSocket } from "./responses-socket.ts";
import { codeOf, storedWorld, uuidOf } from "./stored-world.ts";

const { world, query, ask, storing, get, answered, promptOf } = storedWorld();

describe("previous_response_id", () => {
  test("the model gets the whole conversation, which costs what it costs when it is sent; instructions don't go on", async () => {
    const account = await storing();
    const first = await answered(account, { input: "One", instructions: "Be brief." });
    const second = await answered(account, { input: "Two", previous_response_id: first.id });
    const third = await answered(account, { input: [{ role: "user", content: "Three" }], previous_response_id: second.id });
    const said = ({ output }: any) => ({ role: "assistant", content: output[0].content[0].text });
    const user = (content: string) => ({ role: "user", content });
    expect(promptOf(2)).toEqual([user("One"), said(first), user("Two"), said(second), user("Three")]);
    const other = await world.account();
    const input = [user("One"), said(first), user("Two"), said(second), user("Three")];
    const sent = await answered(other, { input });
    expect([third.usage, third.previous_response_id]).toEqual([sent.usage, second.id]);
    const costs = [first, second, third].reduce((sum, { usage }) => sum + usage.cost, 0);
    expect((await world.gateway.balance(account)).spent).toBeCloseTo(costs, 8);
    const count = async (who: TestAccount, body: object) =>
      (await ask(who, "POST", "/v1/responses/input_tokens", { model: "best", ...body })).json;
    expect(await count(account, { input: "Three", previous_response_id: second.id })).toEqual(await count(other, { input }));
  });

  test("what the model has room for, and what is held, see the whole conversation", async () => {
    const account = await storing();
    const { id } = await answered(account, { input: "word ".repeat(600) });
    const reply = await respond(world, account, { model: "demo/small", previous_response_id: id });
    expect([reply.status, reply.json.error.code]).toEqual([400, "request_rejected"]);
    const quote = async (input: object) =>
      (
        await ask(account, "POST", "/v1/quote", {
          operation: "createResponse",
          body: { model: "best", input: "x", max_output_tokens: 10, ...input },
        })
      ).json;
    expect((await quote({ previous_response_id: id })).reserve_usd).toBeGreaterThan((await quote({})).reserve_usd);
  });

  test("a tool's call is in what is stored: its result alone goes on from it", async () => {
    const account = await storing();
    const first = await answered(account, { input: "Call get_weather", tools: [weather] });
    const call = first.output.find(({ type }: { type: string }) => type === "function_call");
    const input = [{ type: "function_call_output", call_id: call.call_id, output: "rain" }];
    await answered(account, { input, tools: [weather], previous_response_id: first.id });
    expect(promptOf(1).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  test("an item that is refused is named by its place in the request", async () => {
    const account = await storing();
    const { id } = await answered(account);
    const reply = await respond(world, account, {
      model: "best",
      previous_response_id: id,
      input: [{ role: "user", content: "a" }, { content: "b" }],
    });
    expect(codeOf(reply)).toEqual([400, "missing_parameter", "input[1].role"]);
    expect(reply.json.error.message).toContain("input[1].role");
  });

  test("400 previous_response_not_found: unknown, another workspace's, deleted, from too long ago, after one that is gone; nothing is charged", async () => {
    const account = await storing();
    const first = await answered(account);
    const second = await answered(account, { previous_response_id: first.id });
    const foreign = await answered(await storing());
    const lost = await answered(account);
    await ask(account, "DELETE", `/v1/responses/${lost.id}`);
    const old = await answered(account);
    await query("update stored_response set created_at = created_at - interval '31 days' where id = $1", [uuidOf(old.id)]);
    await ask(account, "DELETE", `/v1/responses/${first.id}`);
    const { spent } = await world.gateway.balance(account);
    const refusal = [400, "previous_response_not_found", "previous_response_id"];
    for (const previous_response_id of ["resp_1", "", foreign.id, lost.id, old.id, first.id, second.id])
      expect(codeOf(await respond(world, account, { model: "best", previous_response_id }))).toEqual(refusal);
    const body = { model: "best", input: "x", previous_response_id: lost.id };
    for (const path of ["/v1/responses/compact", "/v1/responses/input_tokens"])
      expect(codeOf(await ask(account, "POST", path, body))).toEqual(refusal);
    expect(codeOf(await ask(account, "POST", "/v1/quote", { operation: "createResponse", body }))).toEqual([
      ...[400, "previous_response_not_found", "body.previous_response_id"],
    ]);
    expect((await world.gateway.balance(account)).spent).toBe(spent);
  });

  test("400 invalid_parameter: more than 1,000 responses or 8 MB", async () => {
    const account = await storing();
    const { id } = await answered(account);
    const add = (rows: number, bytes: number) =>
      query<{ id: string }>(
        `insert into stored_response (account_id, id, previous_id, created_at, input, response)
         select $1, ('00000000-0000-4000-8000-' || lpad(($4::bigint * 10000 + n)::text, 12, '0'))::uuid,
           case when n = 1 then $2::uuid else ('00000000-0000-4000-8000-' || lpad(($4::bigint * 10000 + n - 1)::text, 12, '0'))::uuid end,
           now(), repeat('a', $5)::bytea, 'b' from generate_series(1, $3) n returning id`,
        [account.accountId, uuidOf(id), rows, account.accountId * 10n + (bytes > 1 ? 1n : 0n), bytes],
      );
    for (const [rows, bytes] of [
      [1_000, 1],
      [1, 8 * 1024 * 1024],
    ] as const) {
      const last = (await add(rows, bytes)).rows.at(-1)!.id;
      const reply = await respond(world, account, { model: "best", previous_response_id: `resp_${last.replaceAll("-", "")}` });
      expect(codeOf(reply)).toEqual([400, "invalid_parameter", "previous_response_id"]);
    }
  });

  test("a conversation is compacted from where it is stored", async () => {
    const account = await storing();
    const { id } = await answered(account, { input: "The light is white." });
    const compacted = await ask(account, "POST", "/v1/responses/compact", { model: "best", input: "Go on.", previous_response_id: id });
    expect(compacted.json.output.map(({ type }: { type: string }) => type)).toEqual(["message", "message", "compaction"]);
  });

  test("over a WebSocket any stored response may be named, in another connection too; what isn't stored stays in the connection", async () => {
    const account = await storing();
    const { id } = await answered(account, { input: "One" });
    const headers = { authorization: `Bearer ${account.key}` };
    const socket = await openSocket(world.gateway.url, headers);
    const turn = async (body: object) => (await socket.turn({ model: "best", ...body })).at(-1);
    const second = (await turn({ input: "Two", previous_response_id: id })).response;
    expect([second.previous_response_id, second.store, promptOf(1).length]).toEqual([id, true, 3]);
    const third = (await turn({ input: "Three", previous_response_id: second.id })).response;
    expect(promptOf(2)).toHaveLength(5);
    const unstored = (await turn({ input: "Four", store: false })).response;
    const fifth = (await turn({ input: "Five", previous_response_id: unstored.id })).response;
    expect([fifth.previous_response_id, promptOf(4).length]).toEqual([unstored.id, 3]);
    socket.close();
    const other = await openSocket(world.gateway.url, headers);
    const next = async (previous: string) => (await other.turn({ model: "best", input: "x", previous_response_id: previous })).at(-1);
    expect((await next(third.id)).type).toBe("response.completed");
    expect((await next(unstored.id)).code).toBe("previous_response_not_found");
    other.close();
  });
});

describe("item_reference", () => {
  test("stands for a stored item, of an answer or of a request; the next response holds the item itself", async () => {
    const account = await storing();
    const first = await answered(account, { input: "My dog is called Rex." });
    const [asked] = (await get(account, first.id, "/input_items")).json.data;
    const reference = (id: string) => ({ type: "item_reference", id });
    const input = [reference(asked.id), reference(first.output[0].id), { role: "user", content: "And my cat?" }];
    const second = await answered(account, { input });
    expect(promptOf(1).map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    await ask(account, "DELETE", `/v1/responses/${first.id}`);
    await answered(account, { previous_response_id: second.id });
    expect(promptOf(2)).toHaveLength(5);
    for (const id of ["msg_1", `msg_${uuidOf(second.id)}_99`, asked.id])
      expect(codeOf(await respond(world, account, { model: "best", input: [input[2]!, reference(id)] }))).toEqual([
        400,
        "invalid_parameter",
        "input[1].id",
      ]);
  });

  test("400 invalid_parameter: items of more than 1,000 responses, or of more than 8 MB", async () => {
    const account = await storing();
    const input = Array.from({ length: 1_001 }, (_, n) => ({ type: "item_reference", id: `msg_${String(n).padStart(32, "0")}_0` }));
    expect(codeOf(await respond(world, account, { model: "best", input }))).toEqual([400, "invalid_parameter", "input"]);
    const { id, output } = await answered(account);
    await query("update stored_response set input = repeat('a', 9000000)::bytea where id = $1", [uuidOf(id)]);
    const big = [{ type: "item_reference", id: output[0].id }];
    expect(codeOf(await respond(world, account, { model: "best", input: big }))).toEqual([400, "invalid_parameter", "input"]);
  });
});
