// Stored files over HTTP: what is stored is what comes back, to its workspace alone, until it is deleted or has expired.
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sweepFiles } from "../../../src/batches/files.ts";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { fileForm, upload } from "./batch-gateway.ts";

let gateway: Gateway;
let account: TestAccount;
let other: TestAccount;
beforeAll(async () => {
  gateway = await startGateway();
  account = await gateway.createAccount({ deposit: "5" });
  other = await gateway.createAccount({ deposit: "5" });
});
afterAll(() => gateway.stop());

const lines = '{"custom_id":"a"}\n{"custom_id":"é"}\n';
const ask = (method: string, path: string, { key } = account) => gateway.request(method, path, { key });
const codeOf = ({ status, json }: Awaited<ReturnType<typeof ask>>) => [status, json.error.code, json.error.param];
const storedNames = async () =>
  (await gateway.context.db.pool.query<{ id: string }>("select id from stored_file order by created_at, id")).rows.map(({ id }) => id);

describe("createFile, getFile and getFileContent 200", () => {
  test("a file comes back byte for byte, with its name, size and purpose, and expires after 30 days", async () => {
    const file = await upload(gateway, account, lines, "my requests.jsonl");
    expect(file).toEqual({
      id: expect.stringMatching(/^file-[0-9a-f]{32}$/),
      object: "file",
      bytes: Buffer.byteLength(lines),
      created_at: expect.any(Number),
      expires_at: file.created_at + 30 * 86_400,
      filename: "my requests.jsonl",
      purpose: "batch",
      status: "processed",
    });
    expect((await ask("GET", `/v1/files/${file.id}`)).json).toEqual(file);
    const content = await ask("GET", `/v1/files/${file.id}/content`);
    expect([content.status, content.text, content.headers["content-type"], content.headers["cache-control"]]).toEqual([
      ...[200, lines, "application/octet-stream", "no-store"],
    ]);
  });

  test("an empty file, and one of a megabyte", async () => {
    for (const text of ["", "x".repeat(1024 * 1024)]) {
      const { id, bytes } = await upload(gateway, account, text);
      expect([bytes, (await ask("GET", `/v1/files/${id}/content`)).text === text]).toEqual([text.length, true]);
    }
  });

  test("no public address leads to it", async () => {
    const { id } = await upload(gateway, account, lines);
    for (const name of [`${id}.jsonl`, `${id.slice(5)}.jsonl`])
      expect((await gateway.request("GET", `/media/${name}`, { unchecked: true })).status).toBe(404);
  });
});

describe("refusals", () => {
  test("400 missing_parameter without a file or a purpose; 400 invalid_parameter for another purpose", async () => {
    const send = async (fields: Record<string, string>, text: string | null) => {
      const { body, type } = await fileForm(text, "a.jsonl", fields);
      return gateway.request("POST", "/v1/files", { key: account.key, body, headers: { "content-type": type } });
    };
    expect(codeOf(await send({ purpose: "batch" }, null))).toEqual([400, "missing_parameter", "file"]);
    expect(codeOf(await send({}, lines))).toEqual([400, "missing_parameter", "purpose"]);
    for (const purpose of ["assistants", "batch_output"])
      expect(codeOf(await send({ purpose }, lines))).toEqual([400, "invalid_parameter", "purpose"]);
  });

  test("404 file_not_found: unknown, another workspace's, deleted, expired", async () => {
    const { id } = await upload(gateway, account, lines);
    const expired = await upload(gateway, account, lines);
    await gateway.context.db.pool.query(
      "update stored_file set created_at = created_at - interval '31 days', expires_at = expires_at - interval '31 days' where id = $1",
      [expired.id.slice(5)],
    );
    const paths = (of: string) => [["GET", `/v1/files/${of}`] as const, ["GET", `/v1/files/${of}/content`] as const];
    const refused = async (method: string, path: string, as = account) =>
      expect([path, codeOf(await ask(method, path, as))]).toEqual([path, [404, "file_not_found", null]]);
    for (const [method, path] of [...paths(id), ["DELETE", `/v1/files/${id}`] as const]) await refused(method, path, other);
    for (const [method, path] of [...paths("file-1"), ...paths(expired.id)]) await refused(method, path);
    expect((await ask("DELETE", `/v1/files/${id}`)).json).toEqual({ id, object: "file", deleted: true });
    for (const [method, path] of [...paths(id), ["DELETE", `/v1/files/${id}`] as const]) await refused(method, path);
  });

  test("403 file_limit_reached: a workspace has room for 1,000 files", async () => {
    const full = await gateway.createAccount({ deposit: "5" });
    await gateway.context.db.pool.query(
      `insert into stored_file (id, account_id, purpose, filename, bytes, created_at, expires_at, is_stored)
       select gen_random_uuid(), $1, 'batch', 'a', 0, now(), now() + interval '1 day', true from generate_series(1, 999)`,
      [full.accountId],
    );
    await upload(gateway, full, lines);
    const { body, type } = await fileForm(lines);
    const refused = await gateway.request("POST", "/v1/files", { key: full.key, body, headers: { "content-type": type } });
    expect(codeOf(refused)).toEqual([403, "file_limit_reached", null]);
    await gateway.context.db.pool.query("delete from stored_file where account_id = $1", [full.accountId]);
  });
});

describe("expires_after", () => {
  const send = async (expiry: Record<string, string>) => {
    const { body, type } = await fileForm(lines, "a.jsonl", { purpose: "batch", ...expiry });
    return gateway.request("POST", "/v1/files", { key: account.key, body, headers: { "content-type": type } });
  };
  const [anchor, seconds] = ["expires_after[anchor]", "expires_after[seconds]"];

  test.each([3600, 2_592_000])("%i seconds: the file says when it expires", async (count) => {
    const { status, json } = await send({ [anchor]: "created_at", [seconds]: String(count) });
    expect([status, json.expires_at - json.created_at]).toEqual([200, count]);
    expect((await ask("GET", `/v1/files/${json.id}`)).json).toEqual(json);
  });

  test("OpenAI's client sends it; after that time the file is unknown, and the sweep removes it", async () => {
    const client = new OpenAI({ apiKey: account.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const file = await client.files.create({
      file: new File([lines], "a.jsonl"),
      purpose: "batch",
      expires_after: { anchor: "created_at", seconds: 7200 },
    });
    expect(file.expires_at! - file.created_at).toBe(7200);
    const { context } = gateway;
    const later = (ms: number) => ({ ...context, clock: () => new Date(file.created_at * 1000 + ms) });
    await sweepFiles(later(7_199_000));
    expect((await ask("GET", `/v1/files/${file.id}`)).status).toBe(200);
    await sweepFiles(later(7_200_000));
    expect(codeOf(await ask("GET", `/v1/files/${file.id}`))).toEqual([404, "file_not_found", null]);
    expect((await storedNames()).map((id) => id.replaceAll("-", ""))).not.toContain(file.id.slice(5));
    const aged = (await send({ [anchor]: "created_at", [seconds]: "3600" })).json;
    await context.db.pool.query(
      "update stored_file set created_at = created_at - interval '1 hour', expires_at = expires_at - interval '1 hour' where id = $1",
      [aged.id.slice(5)],
    );
    for (const path of ["", "/content"]) expect(codeOf(await ask("GET", `/v1/files/${aged.id}${path}`))[1]).toBe("file_not_found");
    const batch = { input_file_id: aged.id, endpoint: "/v1/chat/completions", completion_window: "24h" };
    expect(codeOf(await gateway.request("POST", "/v1/batches", { key: account.key, body: batch }))[1]).toBe("file_not_found");
  });

  test.each<[string, string, Record<string, string>]>([
    ["missing_parameter", seconds, { [anchor]: "created_at" }],
    ["missing_parameter", seconds, { [anchor]: "created_at", [seconds]: "" }],
    ["missing_parameter", anchor, { [seconds]: "3600" }],
    ["invalid_parameter", anchor, { [anchor]: "last_used_at", [seconds]: "3600" }],
    ...["3599", "2592001", "0", "-1", "3600.5", "1e9", "an hour"].map((value): [string, string, Record<string, string>] => [
      ...(["invalid_parameter", seconds] as const),
      { [anchor]: "created_at", [seconds]: value },
    ]),
  ])("400 %s names %s: %j", async (code, param, expiry) => {
    const reply = await send(expiry);
    expect(codeOf(reply)).toEqual([400, code, param]);
    expect(reply.json.error.message).toContain(param);
  });
});

describe("listFiles 200", () => {
  test("pages, the newest first or the oldest, of one purpose; 400 after an id of another workspace", async () => {
    const owner = await gateway.createAccount({ deposit: "5" });
    const made: string[] = [];
    for (let count = 0; count < 3; count++) made.push((await upload(gateway, owner, lines)).id);
    const list = async (query: string) => (await ask("GET", `/v1/files${query}`, owner)).json;
    const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
    expect(idsOf(await list(""))).toEqual(made.toReversed());
    expect(idsOf(await list("?order=asc"))).toEqual(made);
    const first = await list("?limit=2");
    expect(first).toMatchObject({ object: "list", has_more: true, first_id: made[2], last_id: made[1] });
    expect(idsOf(await list(`?limit=2&after=${first.last_id}`))).toEqual([made[0]]);
    expect(idsOf(await list("?purpose=batch_output"))).toEqual([]);
    const foreign = await upload(gateway, account, lines);
    for (const after of [foreign.id, "nothing"])
      expect(codeOf(await ask("GET", `/v1/files?after=${after}`, owner))).toEqual([400, "invalid_parameter", "after"]);
  });
});

describe("what is over", () => {
  test("a deleted file's bytes are gone at once; the sweep removes expired ones and uploads whose process died", async () => {
    const { media, db } = gateway.context;
    const removed: string[] = [];
    const { remove } = media.store;
    media.store.remove = (name) => {
      removed.push(name);
      return remove(name);
    };
    const [gone, expired, dead, kept] = await Promise.all([1, 2, 3, 4].map(() => upload(gateway, account, lines)));
    await ask("DELETE", `/v1/files/${gone!.id}`);
    expect(removed).toHaveLength(1);
    await db.pool.query("update stored_file set created_at = created_at - interval '2 hours', is_stored = false where id = $1", [
      dead!.id.slice(5),
    ]);
    await db.pool.query(
      "update stored_file set created_at = created_at - interval '31 days', expires_at = expires_at - interval '31 days' where id = $1",
      [expired!.id.slice(5)],
    );
    await sweepFiles(gateway.context);
    const names = (await storedNames()).map((id) => `file-${id.replaceAll("-", "")}`);
    expect([gone, expired, dead, kept].map((file) => names.includes(file!.id))).toEqual([false, false, false, true]);
    expect(removed.length).toBeGreaterThanOrEqual(3);
    media.store.remove = remove;
  });
});

test("413 request_too_large: more than any file may have", async () => {
  const account = await gateway.createAccount({ deposit: "5" });
  const body = Buffer.alloc(112 * 1024 * 1024, "a");
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  const reply = await gateway.request("POST", "/v1/files", { key: account.key, body, headers });
  expect([reply.status, reply.json.error.code]).toEqual([413, "request_too_large"]);
});
