// The WebSocket of /v1/responses: turns, what they go on from, what they cost, who may open one, and how one ends.
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { chatWorld, costUsd, language, prices } from "../chat/chat-gateway.ts";
import { respond, typesOf, weather } from "./responses-gateway.ts";
import { openSocket, type TestSocket } from "./responses-socket.ts";

const can = { supports_tools: true };
const world = chatWorld(
  [
    language("demo/chat", ["chat"], can),
    language("demo/long", ["chat+sim-tokens-400+sim-pace-10ms"]),
    language("demo/cut", ["chat+sim-cut-after-4"]),
    language("demo/down", ["chat+sim-fail-503"]),
    language("demo/brief", ["chat+sim-tokens-40"]),
  ],
  { aliases: { best: "demo/chat" } },
  { limits: { frameBytes: 100_000 } },
);

const sockets: TestSocket[] = [];
afterEach(() => sockets.splice(0).forEach((socket) => socket.close()));
async function open({ key }: Pick<TestAccount, "key">, headers: Record<string, string> = {}): Promise<TestSocket> {
  const socket = await openSocket(world.gateway.url, { authorization: `Bearer ${key}`, ...headers });
  sockets.push(socket);
  return socket;
}
const messagesOf = (call: number) => world.sent()[call]!["messages"] as { role: string; content: unknown }[];
const ended = (events: any[]) => events.at(-1).response;
const refusal = (events: any[]) => [events.length, events[0].type, events[0].status, events[0].error.code, events[0].error.param];
const hi = { role: "user", content: "Hello" };

describe("a turn", () => {
  test("has the events of the same request's stream, each a frame, and costs the same", async () => {
    const account = await world.account();
    const events = await (await open(account)).turn({ model: "best", input: "Hello" });
    const other = await world.account();
    const streamed = await respond(world, other, { model: "best", stream: true });
    const types = [...streamed.text.matchAll(/^event: (.*)$/gm)].map(([, type]) => ({ type: type! }));
    expect(typesOf(events)).toEqual(typesOf(types));
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    const { status, model, usage } = ended(events);
    const counts = {
      prompt_tokens: usage.input_tokens,
      completion_tokens: usage.output_tokens,
      prompt_tokens_details: { cached_tokens: 0 },
    };
    expect([status, model, usage.cost]).toEqual(["completed", "demo/chat", costUsd(counts, prices)]);
    expect(await world.gateway.balance(account)).toMatchObject({ reserved: 0, spent: usage.cost });
    expect(await world.gateway.balance(other)).toMatchObject({ reserved: 0, spent: usage.cost });
    const id = ended(events).id.replace("resp_", "req_");
    const receipt = await world.gateway.request("GET", `/v1/usage/${id}`, { key: account.key });
    expect(receipt.json.log).toMatchObject({ endpoint: "/v1/responses", stream: true, cost_usd: usage.cost });
  });

  test("many follow on one connection, one after the other, also those that were sent at once", async () => {
    const account = await world.account();
    const socket = await open(account);
    for (const input of ["one", "two", "three"]) socket.send(JSON.stringify({ type: "response.create", model: "best", input }));
    const all = [await socket.events(), await socket.events(), await socket.events()];
    expect(all.map((events) => [events[0].type, ended(events).status])).toEqual(Array(3).fill(["response.created", "completed"]));
    expect(new Set(all.map((events) => ended(events).id)).size).toBe(3);
    expect(world.sent().map((_, call) => messagesOf(call))).toEqual(["one", "two", "three"].map((content) => [{ role: "user", content }]));
    const costs = all.map((events) => ended(events).usage.cost as number);
    expect((await world.gateway.balance(account)).spent).toBeCloseTo(
      costs.reduce((sum, cost) => sum + cost),
      8,
    );
  });

  test("a refused one is an error event with the catalogue's code, and the connection goes on", async () => {
    const account = await world.account();
    const socket = await open(account);
    expect(refusal(await socket.turn({ model: "demo/none", input: "Hello" }))).toEqual([1, "error", 404, "model_not_found", "model"]);
    expect(refusal(await socket.turn({ model: "best" }))).toEqual([1, "error", 400, "missing_parameter", "input"]);
    expect(refusal(await socket.turn({ model: "demo/down", input: "Hello" }))).toEqual([1, "error", 503, "provider_unavailable", null]);
    expect(refusal(await socket.turn({ model: "best", input: "Hello", background: true }))).toEqual([
      1,
      "error",
      400,
      "stateless_only",
      "background",
    ]);
    await world.expectUntouched(account);
    expect(ended(await socket.turn({ model: "best", input: "Hello" })).status).toBe("completed");
  });

  test.each([
    ["no JSON", "{", "invalid_json", null],
    ["an array", "[]", "invalid_json", null],
    ["another type", '{"type":"response.steer"}', "invalid_parameter", "type"],
    ["no type", '{"model":"best","input":"Hi"}', "invalid_parameter", "type"],
  ])("a frame that is %s is refused", async (_, frame, code, param) => {
    const socket = await open(await world.account());
    socket.send(frame);
    expect(refusal(await socket.events())).toEqual([1, "error", 400, code, param]);
    expect(world.sent()).toEqual([]);
  });

  test("402: money is checked with each of them", async () => {
    const socket = await open(await world.account({ deposit: "0.00000001" }));
    expect(refusal(await socket.turn({ model: "best", input: "Hello" })).slice(2, 4)).toEqual([402, "insufficient_credits"]);
  });

  test("a key that was deleted meanwhile gets none", async () => {
    const account = await world.account();
    const { token } = await world.gateway.createSession(account);
    const made = await world.gateway.request("POST", "/v1/auth/keys", { key: token, body: { name: "short" } });
    const socket = await open({ key: made.json.api_key });
    expect(ended(await socket.turn({ model: "best", input: "Hello" })).status).toBe("completed");
    await world.gateway.request("DELETE", `/v1/auth/keys/${made.json.id}`, { key: token });
    // Each process hears of it within a moment.
    await eventually(async () => {
      const [refused] = await socket.turn({ model: "best", input: "Hello" });
      expect([refused.status, refused.error?.code]).toEqual([401, "invalid_api_key"]);
    });
  });

  test("an interrupted answer ends as the stream does and is free; the next turn begins", async () => {
    const account = await world.account();
    const socket = await open(account);
    const events = await socket.turn({ model: "demo/cut", input: "Hello" });
    expect(events.slice(-2).map(({ type }) => type)).toEqual(["error", "response.failed"]);
    expect(ended(events).error.code).toBe("stream_interrupted");
    await world.expectUntouched(account);
    expect(ended(await socket.turn({ model: "best", input: "Hello" })).status).toBe("completed");
  });

  test("a client that closes within it pays for what was made, as with a stream", async () => {
    const account = await world.account();
    const socket = await open(account);
    socket.send(JSON.stringify({ type: "response.create", model: "demo/long", input: "Hello" }));
    await eventually(async () => expect(world.sent().length).toBe(1));
    await new Promise<void>((resolve) => socket.ws.addEventListener("message", () => resolve(), { once: true }));
    socket.close();
    await eventually(
      async () => expect(await world.gateway.balance(account)).toMatchObject({ reserved: 0, spent: expect.any(Number) }),
      20,
    );
    const { rows } = await world.gateway.context.db.pool.query("select status, cost from usage_log where account_id = $1", [
      account.accountId,
    ]);
    expect(rows).toMatchObject([{ status: "aborted" }]);
    expect(rows[0].cost).toBeGreaterThan(0n);
  });
});

describe("previous_response_id", () => {
  test("the last response of the connection: the model reads what went before, and its tokens are input", async () => {
    const account = await world.account();
    const socket = await open(account);
    const first = await socket.turn({ model: "best", input: "Remember cobalt.", instructions: "Be brief.", store: false });
    const second = await socket.turn({ model: "best", input: "Which word?", previous_response_id: ended(first).id });
    expect(second.filter((event) => event.response).map((event) => event.response.previous_response_id)).toEqual(
      Array(3).fill(ended(first).id),
    );
    const said = ended(first).output[0].content[0].text;
    expect(messagesOf(1)).toEqual([
      { role: "user", content: "Remember cobalt." },
      { role: "assistant", content: said },
      { role: "user", content: "Which word?" },
    ]);
    expect(ended(second).usage.input_tokens).toBeGreaterThan(ended(first).usage.input_tokens);
    const third = await socket.turn({ model: "best", input: [hi], previous_response_id: ended(second).id });
    expect([ended(third).status, messagesOf(2).length]).toEqual(["completed", 5]);
  });

  test("a tool's result goes on from the call", async () => {
    const socket = await open(await world.account());
    const first = await socket.turn({ model: "best", input: "Weather?", tools: [weather], tool_choice: "required" });
    const { call_id } = ended(first).output.find(({ type }: { type: string }) => type === "function_call");
    const result = { type: "function_call_output", call_id, output: "rain" };
    const second = await socket.turn({ model: "best", input: [result], tools: [weather], previous_response_id: ended(first).id });
    expect(ended(second).status).toBe("completed");
    expect(messagesOf(1).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  test("generate: false asks no model and costs nothing; the next turn goes on from it", async () => {
    const account = await world.account();
    const socket = await open(account);
    const warm = await socket.turn({ model: "best", input: "Prepare.", generate: false });
    expect(ended(warm)).toMatchObject({ status: "completed", output: [], usage: { total_tokens: 0, cost: 0 } });
    expect(world.sent()).toEqual([]);
    await world.expectUntouched(account);
    const next = await socket.turn({ model: "best", input: "Go.", previous_response_id: ended(warm).id });
    expect([ended(next).status, messagesOf(0)]).toEqual([
      "completed",
      [
        { role: "user", content: "Prepare." },
        { role: "user", content: "Go." },
      ],
    ]);
  });

  test("previous_response_not_found: an unknown one, one before the last, and that of another connection", async () => {
    const account = await world.account();
    const [socket, other] = [await open(account), await open(account)];
    const first = await socket.turn({ model: "best", input: "Hello" });
    await socket.turn({ model: "best", input: "Hello" });
    const elsewhere = await other.turn({ model: "best", input: "Hello" });
    for (const previous_response_id of ["resp_missing", ended(first).id, ended(elsewhere).id]) {
      const events = await socket.turn({ model: "best", input: "Hello", previous_response_id });
      expect(refusal(events)).toEqual([1, "error", 400, "previous_response_not_found", "previous_response_id"]);
    }
  });

  test("a turn that fails forgets the response that it went on from", async () => {
    const socket = await open(await world.account());
    const { id } = ended(await socket.turn({ model: "best", input: "Hello" }));
    const lost = [{ type: "function_call_output", call_id: "call_none", output: "x" }];
    const events = await socket.turn({ model: "best", input: lost, previous_response_id: id });
    expect(refusal(events)).toEqual([1, "error", 400, "invalid_parameter", "input[0].call_id"]);
    const after = await socket.turn({ model: "best", input: "Hello", previous_response_id: id });
    expect(refusal(after).slice(2, 4)).toEqual([400, "previous_response_not_found"]);
  });

  test("one that fails without going on from it does not", async () => {
    const socket = await open(await world.account());
    const { id } = ended(await socket.turn({ model: "best", input: "Hello" }));
    await socket.turn({ model: "demo/none", input: "Hello" });
    expect(ended(await socket.turn({ model: "best", input: "Hello", previous_response_id: id })).status).toBe("completed");
  });

  test("a refusal numbers the items as they were sent", async () => {
    const socket = await open(await world.account());
    const { id } = ended(await socket.turn({ model: "best", input: [hi, hi, hi] }));
    const events = await socket.turn({ model: "best", input: [hi, { type: "computer_call" }], previous_response_id: id });
    expect(refusal(events)).toEqual([1, "error", 400, "unsupported_content", "input[1]"]);
  });

  test("over HTTP it is refused as before", async () => {
    const reply = await respond(world, await world.account(), { model: "best", previous_response_id: "resp_1" });
    expect([reply.status, reply.json.error.code]).toEqual([400, "stateless_only"]);
  });
});

/** What comes back for an upgrade, as text. */
function upgrade(headers: Record<string, string>, path = "/v1/responses"): Promise<string> {
  const { port } = new URL(world.gateway.url);
  const head = { host: "gateway", connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13", ...headers };
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1");
    let text = "";
    socket
      .on("data", (chunk) => (text += chunk.toString()))
      .on("end", () => resolve(text))
      .on("error", reject);
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    setTimeout(() => socket.end(), 1_000);
  });
}

describe("the connection", () => {
  test("401 without a key, or with an unknown one: as every answer, with a request id", async () => {
    const key = { "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
    expect(await upgrade(key)).toMatch(/^HTTP\/1\.1 401 [^]*x-request-id: req_\w+[^]*"code":"missing_api_key"/);
    expect(await upgrade({ ...key, authorization: "Bearer svc_none" })).toMatch(/^HTTP\/1\.1 401 [^]*"code":"invalid_api_key"/);
  });

  test("other paths and other protocols are no WebSocket: they get their ordinary answer", async () => {
    const { key } = await world.account();
    const auth = { authorization: `Bearer ${key}`, "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
    expect(await upgrade(auth, "/v1/models")).toMatch(/^HTTP\/1\.1 200 /);
    expect(await upgrade({ ...auth, upgrade: "h2c" })).toMatch(/^HTTP\/1\.1 405 /);
    expect(await upgrade({ authorization: `Bearer ${key}` })).toMatch(/^HTTP\/1\.1 400 /); // no key of the handshake
  });

  test("a frame that is too large ends it with 1009", async () => {
    const socket = await open(await world.account());
    socket.send("x".repeat(100_001));
    expect((await socket.closed)[0]).toBe(1009);
  });

  test("more turns than may wait end it with 1008", async () => {
    const socket = await open(await world.account());
    for (let n = 0; n < 12; n += 1) socket.send(JSON.stringify({ type: "response.create", model: "demo/long", input: "Hi" }));
    expect((await socket.closed)[0]).toBe(1008);
  });

  test("what it held of the memory for bodies is given back", async () => {
    const figure = async (name: string) =>
      new RegExp(`^${name} (\\d+)$`, "m").exec((await world.gateway.request("GET", "/metrics")).text)?.[1];
    const socket = await open(await world.account());
    await socket.turn({ model: "best", input: "Hello ".repeat(5_000) });
    expect(Number(await figure("svc_request_body_bytes"))).toBeGreaterThan(30_000);
    socket.close();
    await socket.closed;
    await eventually(async () => expect(await figure("svc_request_body_bytes")).toBe("0"));
  });
});
