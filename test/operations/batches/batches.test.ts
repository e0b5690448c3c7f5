// Batches over HTTP: every line is the call that it would be at its endpoint, answered, charged and logged once; what fails stands in the error file.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { completed, createBatch, ended, linesFor, resultsOf, takeOver, upload, uuidOf } from "./batch-gateway.ts";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ batches: { lookMs: 50, leaseMs: 600, pauseMs: 50 } });
});
afterAll(async () => {
  expect(await gateway.audit()).toMatchObject({ mismatches: [], reservations_open: 0 });
  await gateway.stop();
});

const chat = "/v1/chat/completions";
const model = "north/chat-small";
const asked = (content: string, more: object = {}) => ({ model, messages: [{ role: "user", content }], max_tokens: 20, ...more });
const newAccount = (deposit = "5") => gateway.createAccount({ deposit });
const costsOf = async ({ accountId }: TestAccount) => {
  const { rows } = await gateway.context.db.pool.query<{ request_id: string; status: string; cost: bigint }>(
    "select request_id, status, cost from usage_log where account_id = $1",
    [accountId],
  );
  return rows;
};

describe("a batch of chats", () => {
  test("is answered as each request would be, in the order of its lines, and charged exactly as they would be", async () => {
    const [single, account] = [await newAccount(), await newAccount()];
    const contents = Array.from({ length: 12 }, (_, at) => `Say ${at}.`);
    for (const content of contents) await gateway.request("POST", chat, { key: single.key, body: asked(content) });
    const created = await createBatch(
      gateway,
      account,
      chat,
      linesFor(
        chat,
        contents.map((content) => asked(content)),
      ),
    );
    expect(created).toMatchObject({
      object: "batch",
      status: "validating",
      endpoint: chat,
      completion_window: "24h",
      output_file_id: null,
    });
    const batch = await ended(gateway, account, created);
    expect(batch).toMatchObject({ status: "completed", error_file_id: null, request_counts: { total: 12, completed: 12, failed: 0 } });
    const results = await resultsOf(gateway, account, batch.output_file_id);
    expect(results.map(({ custom_id }) => custom_id)).toEqual(contents.map((_, at) => `r${at}`));
    for (const { response, error } of results) {
      expect([response!.status_code, response!.body.object, response!.body.model, error]).toEqual([200, "chat.completion", model, null]);
      const receipt = await gateway.request("GET", `/v1/usage/${response!.request_id}`, { key: account.key });
      expect(receipt.status).toBe(200);
    }
    expect(await costsOf(account)).toHaveLength(12);
    expect(await gateway.balance(account)).toEqual(await gateway.balance(single));
  });

  test("what fails stands in the error file with the answer that its endpoint gives, and costs nothing", async () => {
    const account = await newAccount();
    const bodies = [asked("Hello"), { ...asked("Hello"), model: "nobody/none" }, { model }, asked("Hello", { stream: true })];
    const batch = await ended(gateway, account, await createBatch(gateway, account, chat, linesFor(chat, bodies)));
    expect(batch).toMatchObject({ status: "completed", request_counts: { total: 4, completed: 1, failed: 3 } });
    const errors = await resultsOf(gateway, account, batch.error_file_id);
    expect(errors.map(({ custom_id, response }) => [custom_id, response!.status_code, response!.body.error.code])).toEqual([
      ["r1", 404, "model_not_found"],
      ["r2", 400, "missing_parameter"],
      ["r3", 400, "invalid_parameter"],
    ]);
    expect((await costsOf(account)).filter(({ cost }) => cost > 0n)).toHaveLength(1);
  });

  test("402 insufficient_credits: every line that can't be paid fails as its call would", async () => {
    const account = await newAccount("0.00000001");
    const batch = await ended(gateway, account, await createBatch(gateway, account, chat, linesFor(chat, [asked("a"), asked("b")])));
    expect(batch).toMatchObject({ status: "completed", output_file_id: null, request_counts: { total: 2, completed: 0, failed: 2 } });
    const errors = await resultsOf(gateway, account, batch.error_file_id);
    expect(errors.map(({ response }) => [response!.status_code, response!.body.error.code])).toEqual([
      [402, "insufficient_credits"],
      [402, "insufficient_credits"],
    ]);
    expect(await gateway.balance(account)).toEqual({ balance: 0.00000001, reserved: 0, spent: 0 });
  });

  test("a key that is deleted ends the rest of its batch", async () => {
    const account = await limited(2);
    const created = await createBatch(gateway, account, chat, linesFor(chat, [asked("a"), asked("b"), asked("c")]));
    await completed(gateway, account, created, 1);
    await gateway.context.db.pool.query("update api_key set rpm = null, enabled = false where account_id = $1", [account.accountId]);
    await takeOver(gateway, created);
    await eventually(async () => expect((await rowOf(created)).status).toBe("completed"));
    expect(await rowOf(created)).toMatchObject({ completed: 1, failed: 2 });
    expect(await costsOf(account)).toHaveLength(1);
  });
});

/** With a key that may ask so often a minute; a batch gets half of it. */
async function limited(rpm: number): Promise<TestAccount> {
  const account = await newAccount();
  await gateway.context.db.pool.query("update api_key set rpm = $2 where account_id = $1", [account.accountId, rpm]);
  return account;
}
const rowOf = async (batch: { id: string }) =>
  (
    await gateway.context.db.pool.query<{ status: string; completed: number; failed: number }>(
      "select status, completed, failed from batch where id = $1",
      [uuidOf(batch)],
    )
  ).rows[0]!;

describe("limits and ends", () => {
  test("a batch leaves half of a limit to other requests, waits for the rest, and ends when it is cancelled", async () => {
    const account = await limited(2);
    const created = await createBatch(
      gateway,
      account,
      chat,
      linesFor(
        chat,
        ["a", "b", "c", "d"].map((content) => asked(content)),
      ),
    );
    await completed(gateway, account, created, 1);
    const direct = await gateway.request("POST", chat, { key: account.key, body: asked("now") });
    expect(direct.status).toBe(200);
    const cancelling = await gateway.request("POST", `/v1/batches/${created.id}/cancel`, { key: account.key });
    expect(cancelling.json).toMatchObject({ status: "cancelling", cancelling_at: expect.any(Number) });
    const batch = await ended(gateway, account, created);
    expect(batch).toMatchObject({ status: "cancelled", request_counts: { total: 4, completed: 1, failed: 3 } });
    const errors = await resultsOf(gateway, account, batch.error_file_id);
    expect(errors.map(({ response, error }) => [response, error!.code])).toEqual(Array(3).fill([null, "batch_cancelled"]));
    expect(await resultsOf(gateway, account, batch.output_file_id)).toHaveLength(1);
    expect(await costsOf(account)).toHaveLength(2);
  });

  test("expired: lines that were not run by the end of the window stand in the error file", async () => {
    const account = await limited(2);
    const created = await createBatch(
      gateway,
      account,
      chat,
      linesFor(
        chat,
        ["a", "b", "c"].map((content) => asked(content)),
      ),
    );
    await completed(gateway, account, created, 1);
    await takeOver(gateway, created, ", expires_at = now()");
    const batch = await ended(gateway, account, created);
    expect(batch).toMatchObject({ status: "expired", request_counts: { total: 3, completed: 1, failed: 2 } });
    const errors = await resultsOf(gateway, account, batch.error_file_id);
    expect(errors.map(({ error }) => error!.code)).toEqual(["batch_expired", "batch_expired"]);
    expect(await costsOf(account)).toHaveLength(1);
  });
});

describe("other endpoints", () => {
  const bodies = {
    "/v1/responses": { model, input: "Hello", max_output_tokens: 20, store: false },
    "/v1/completions": { model, prompt: "Hello", max_tokens: 20 },
    "/v1/embeddings": { model: "north/embed-small", input: "Hello" },
  };
  test.each(Object.entries(bodies))("%s", async (endpoint, body) => {
    const account = await newAccount();
    const direct = await gateway.request("POST", endpoint, { key: account.key, body });
    expect([direct.status, direct.text.slice(0, 300)]).toEqual([200, expect.any(String)]);
    const batch = await ended(gateway, account, await createBatch(gateway, account, endpoint, linesFor(endpoint, [body, body])));
    expect(batch).toMatchObject({ status: "completed", request_counts: { total: 2, completed: 2, failed: 0 } });
    const [result] = await resultsOf(gateway, account, batch.output_file_id);
    expect(Object.keys(result!.response!.body as object)).toEqual(Object.keys(direct.json as object));
    const costs = (await costsOf(account)).map(({ cost }) => cost);
    expect(costs).toEqual([costs[0], costs[0], costs[0]]);
  });
});

describe("failed: the input file has faults, which are named with their lines", () => {
  const line = (more: object) => `${JSON.stringify({ custom_id: "a", method: "POST", url: chat, body: asked("Hello"), ...more })}\n`;
  test.each([
    ["", [["empty_file", null]]],
    ["no JSON\n", [["invalid_json_line", 1]]],
    [line({}) + line({}), [["duplicate_custom_id", 2]]],
    [`\n${line({ custom_id: 5 })}`, [["invalid_custom_id", 2]]],
    [line({ method: "GET" }), [["invalid_method", 1]]],
    [line({ url: "/v1/embeddings" }), [["mismatched_url", 1]]],
    [line({ body: "Hello" }), [["invalid_body", 1]]],
  ])("%j", async (text, faults) => {
    const account = await newAccount();
    const batch = await ended(gateway, account, await createBatch(gateway, account, chat, text));
    expect([batch.status, batch.output_file_id, batch.request_counts.total]).toEqual(["failed", null, 0]);
    expect(batch.errors!.data.map(({ code, line: number }) => [code, number])).toEqual(faults);
    expect(await costsOf(account)).toEqual([]);
  });
});

describe("refusals", () => {
  const codeOf = ({ status, json }: { status: number; json: any }) => [status, json.error.code, json.error.param];
  test("404 file_not_found and batch_not_found: unknown or another workspace's; 400 for an output file", async () => {
    const [account, other] = [await newAccount(), await newAccount()];
    const { id } = await upload(gateway, other, linesFor(chat, [asked("Hello")]));
    const create = (input_file_id: string, key = account.key) =>
      gateway.request("POST", "/v1/batches", { key, body: { input_file_id, endpoint: chat, completion_window: "24h" } });
    for (const file of [id, "file-1"]) expect(codeOf(await create(file))).toEqual([404, "file_not_found", null]);
    const batch = await ended(gateway, other, (await create(id, other.key)).json);
    expect(codeOf(await create(batch.output_file_id!, other.key))).toEqual([400, "invalid_parameter", "input_file_id"]);
    for (const [method, path] of [
      ["GET", `/v1/batches/${batch.id}`],
      ["POST", `/v1/batches/${batch.id}/cancel`],
      ["GET", "/v1/batches/batch_1"],
    ] as const)
      expect(codeOf(await gateway.request(method, path, { key: account.key }))).toEqual([404, "batch_not_found", null]);
    expect(codeOf(await gateway.request("GET", `/v1/batches?after=${batch.id}`, { key: account.key }))).toEqual([
      400,
      "invalid_parameter",
      "after",
    ]);
    expect(codeOf(await gateway.request("POST", `/v1/batches/${batch.id}/cancel`, { key: other.key }))).toEqual([409, "batch_ended", null]);
    const list = await gateway.request("GET", "/v1/batches?limit=1", { key: other.key });
    expect(list.json).toMatchObject({ data: [{ id: batch.id }], has_more: false, first_id: batch.id, last_id: batch.id });
  });

  test("429 batch_limit_reached: 20 batches of a workspace may be open", async () => {
    const account = await newAccount();
    const { id } = await upload(gateway, account, linesFor(chat, [asked("Hello")]));
    await gateway.context.db.pool.query(
      `insert into batch (id, account_id, key_id, endpoint, input_file_id, status, created_at, expires_at, lease_until)
       select gen_random_uuid(), $1, 1, $2, gen_random_uuid(), 'in_progress', now(), now() + interval '1 day', now() + interval '1 day'
       from generate_series(1, 20)`,
      [account.accountId, chat],
    );
    const body = { input_file_id: id, endpoint: chat, completion_window: "24h" };
    expect(codeOf(await gateway.request("POST", "/v1/batches", { key: account.key, body }))).toEqual([429, "batch_limit_reached", null]);
    await gateway.context.db.pool.query("delete from batch where account_id = $1", [account.accountId]);
  });
});
