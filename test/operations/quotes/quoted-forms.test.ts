// POST /v1/quote of operations that take a form: the same parts and `operation`, the same hold, the same refusals; no file is kept or sent.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { operations, type OperationId } from "../../../generated/operations.ts";
import { createKey } from "../../../src/accounts/manage-keys.ts";
import { schema } from "../../contract/read-contract.ts";
import { scratchFolder } from "../../support/leftovers.ts";
import { formOf, formWith, pictureOf, quoteWorld, recordingOf } from "./quote-world.ts";

const folder = scratchFolder("quoted-forms-");
const world = quoteWorld({ env: { SVC_DATA_DIR: folder } });
const quotable = schema("QuotedForm").enum as OperationId[];
/** The answer goes out before the files go. */
const expectNothingOnDisk = () => expect.poll(() => readdirSync(join(folder, "media-incoming"))).toEqual([]);

test("a quote's form has every part of the forms that it may be of, and room for each", () => {
  const parts = ({ files, fields }: NonNullable<(typeof operations)[OperationId]["form"]>) => [
    ...files.map(({ name }) => ({ name, type: "file" })),
    ...fields,
  ];
  const own = operations.createQuote.form!;
  for (const id of quotable) {
    const { form } = operations[id];
    expect(parts(own)).toEqual(expect.arrayContaining(parts(form!)));
    expect(form!.fileMax).toBeLessThanOrEqual(own.fileMax);
  }
  const all = new Set(quotable.flatMap((id) => parts(operations[id].form!).map(({ name }) => name)));
  expect(new Set(parts(own).map(({ name }) => name))).toEqual(new Set(["operation", ...all]));
});

describe("200", () => {
  /** What the form orders, in USD. */
  const costs: Record<string, number> = {
    createTranscription: 0.018,
    createTranslation: 0.012,
    createImageEdit: 0.135,
    createImageVariation: 0.09,
    cloneVoice: 2.25,
  };

  test.each(quotable)("%s: the quote is the hold and the charge of the call that follows it, and changed nothing", async (operation) => {
    const account = await world.account();
    const { pool } = world.gateway.context.db;
    const counted = async () => {
      const of = async (table: string) => (await pool.query(`select * from ${table} where account_id = $1`, [account.accountId])).rows;
      const windows = await pool.query("select * from rate_window where account_id = $1 and bucket <> 'reads'", [account.accountId]);
      return [windows.rows, ...(await Promise.all(["balance", "hold", "ledger_entry", "media_job", "key_budget", "voice"].map(of)))];
    };
    const before = await counted();
    const { status, json } = await world.quote(account, operation, formOf(operation));
    expect([status, json.operation, json.admitted, json.queued]).toEqual([200, operation, true, false]);
    expect(await counted()).toEqual(before);
    expect(world.gateway.simulator.calls()).toEqual([]);
    await expectNothingOnDisk();

    const reply = await world.call(account, operation, formOf(operation));
    expect([reply.status, reply.text]).toEqual([200, expect.any(String)]);
    const { charge, log } = await world.receiptOf(account, reply);
    expect(json).toMatchObject({ reserve_usd: charge.reserved_usd, most_usd: charge.reserved_usd, least_usd: charge.reserved_usd });
    expect(json.likely).toEqual({ cost_usd: charge.cost_usd, basis: "ordered", input_tokens: null, output_tokens: null });
    expect([json.model, charge.cost_usd]).toEqual([log.model, costs[operation]]);
    expect(json.routes[0]).toEqual({ model: log.model, layer: 0, available: true });
    world.gateway.simulator.reset();
  });

  test("a balance that does not pay: the refusal of the call", async () => {
    const account = await world.account({ deposit: "0.001" });
    const { status, json } = await world.quote(account, "createTranscription", formOf("createTranscription"));
    const refused = await world.call(account, "createTranscription", formOf("createTranscription"));
    expect([status, json.admitted, json.reserve_usd, json.most_usd, refused.status]).toEqual([200, false, 0, 0.018, 402]);
    expect(json.checks.balance).toMatchObject({ ok: false, code: "insufficient_credits", reason: refused.json.error.message });
  });

  test("parts of other operations have no effect, and a stream is quoted like any other", async () => {
    const account = await world.account();
    const more = {
      size: "1024x1024",
      n: "many",
      image: pictureOf("x"),
      mask: recordingOf(1),
      name: "Ada",
      stream: "true",
      response_format: "json",
    };
    const { status, json } = await world.quote(account, "createTranscription", formOf("createTranscription", more));
    expect([status, json.reserve_usd]).toEqual([200, 0.018]);
    await expectNothingOnDisk();
  });

  test("many at once beside calls: each its own price, and nothing held in the end", async () => {
    const account = await world.account();
    const asked = Array.from({ length: 6 }, () => quotable.map((id) => world.quote(account, id, formOf(id)))).flat();
    const calls = Array.from({ length: 3 }, () => world.call(account, "createTranslation", formOf("createTranslation")));
    const prices = (await Promise.all(asked)).map(({ json }) => [json.operation, json.most_usd]);
    for (const [operation, price] of prices) expect(price).toBe(costs[operation]);
    for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
    await expect.poll(() => world.gateway.balance(account)).toMatchObject({ reserved: 0, spent: 0.036 });
    await expectNothingOnDisk();
    world.gateway.simulator.reset();
  });
});

describe("refused as by the operation", () => {
  const text = (bytes: string | Uint8Array<ArrayBuffer>) => new Blob([bytes]);
  const big = (megabytes: number) => {
    const bytes = new Uint8Array(megabytes * 1024 * 1024 + 1);
    bytes.set(new TextEncoder().encode("RIFF\0\0\0\0WAVE"));
    return text(bytes);
  };
  test.each<[OperationId, Record<string, string | Blob>, number, string, string | null]>([
    ["createTranscription", { file: text("no sound") }, 415, "unsupported_audio_type", "file"],
    ["createTranscription", { file: text("RIFF\0\0\0\0WAVEbroken") }, 400, "invalid_parameter", "file"],
    ["createTranscription", { file: "a text" }, 400, "invalid_parameter", "file"],
    ["createTranscription", { file: big(25) }, 413, "request_too_large", "file"],
    ["createTranscription", { model: "demo/none" }, 404, "model_not_found", "model"],
    ["createTranscription", { model: "demo/chat" }, 400, "invalid_parameter", "model"],
    ["createTranscription", { temperature: "9" }, 400, "invalid_parameter", "temperature"],
    ["createTranscription", { temperature: "warm" }, 400, "invalid_parameter", "temperature"],
    ["createTranscription", { language: "english" }, 400, "invalid_parameter", "language"],
    ["createTranscription", { stream: "maybe" }, 400, "invalid_parameter", "stream"],
    ["createTranscription", { prompt: "a\0b" }, 400, "invalid_parameter", "prompt"],
    ["createTranscription", { model: "demo/words", response_format: "srt" }, 400, "segments_unsupported", "response_format"],
    ["createTranslation", { model: "demo/words" }, 400, "invalid_parameter", "model"],
    ["createTranslation", { model: "" }, 400, "missing_parameter", "model"],
    ["createTranslation", { response_format: "xml" }, 400, "invalid_parameter", "response_format"],
    ["createImageEdit", { image: text("no image") }, 400, "invalid_parameter", "image"],
    ["createImageEdit", { mask: text("no image") }, 400, "invalid_parameter", "mask"],
    ["createImageEdit", { model: "demo/chat" }, 400, "invalid_model", "model"],
    ["createImageEdit", { model: "demo/image" }, 400, "invalid_parameter", "model"],
    ["createImageEdit", { prompt: " " }, 400, "invalid_prompt", "prompt"],
    ["createImageEdit", { n: "three" }, 400, "invalid_parameter", "n"],
    ["createImageVariation", { image: text("no image") }, 400, "invalid_parameter", "image"],
    ["createImageVariation", { model: "demo/edit" }, 400, "invalid_parameter", "model"],
    ["createImageVariation", { model: "" }, 400, "invalid_model", "model"],
    ["cloneVoice", { file: recordingOf(3) }, 400, "invalid_parameter", "file"],
    ["cloneVoice", { file: big(10) }, 413, "request_too_large", "file"],
    ["cloneVoice", { file: text("no sound") }, 415, "unsupported_audio_type", "file"],
    ["cloneVoice", { model: "demo/voice" }, 400, "not_a_voice_clone_model", "model"],
    ["cloneVoice", { name: "x".repeat(65) }, 400, "invalid_parameter", "name"],
  ])("%s %o: %i %s", async (operation, parts, status, code, param) => {
    const account = await world.account();
    const quoted = await world.quote(account, operation, formOf(operation, parts));
    expect([quoted.status, quoted.json.error?.code, quoted.json.error?.param]).toEqual([status, code, param]);
    const { dialect } = operations[operation];
    const refused = await world.call(account, operation, formOf(operation, parts));
    expect(refused.status).toBe(status);
    if (dialect === "standard") expect(quoted.json.error).toEqual({ ...refused.json.error, request_id: quoted.json.error.request_id });
    else expect(JSON.stringify(refused.json)).toContain(JSON.stringify(quoted.json.error.message).slice(1, -1));
    expect(await world.gateway.balance(account)).toEqual({ balance: 20, reserved: 0, spent: 0 });
    await expectNothingOnDisk();
  });

  test("400 missing_parameter: a form without its file, and one without its images", async () => {
    const account = await world.account();
    const none = await world.quote(account, "createTranscription", formWith([["model", "demo/scribe"]]));
    expect([none.status, none.json.error.code, none.json.error.param]).toEqual([400, "missing_parameter", "file"]);
    const other = await world.quote(
      account,
      "createImageEdit",
      formWith([
        ["model", "demo/edit"],
        ["prompt", "Night"],
        ["file", recordingOf(1)],
      ]),
    );
    expect([other.status, other.json.error.code, other.json.error.param]).toEqual([400, "missing_parameter", "image"]);
  });

  test("400 invalid_parameter: two images for a variation, which takes one", async () => {
    const form = formOf("createImageVariation");
    form.append("image", pictureOf("c"), "c.png");
    const account = await world.account();
    const { status, json } = await world.quote(account, "createImageVariation", form);
    const refused = await world.call(account, "createImageVariation", form);
    expect([status, json.error.code, json.error.param, refused.status]).toEqual([400, "invalid_parameter", "image", 400]);
    expect(json.error.message).toBe(refused.json.error.message);
  });

  test("400 too_many_references", async () => {
    const form = formOf("createImageEdit");
    form.append("image[]", pictureOf("c"), "c.png");
    const { status, json } = await world.quote(await world.account(), "createImageEdit", form);
    expect([status, json.error.code]).toEqual([400, "too_many_references"]);
  });

  test("402 model_requires_paid", async () => {
    const { status, json } = await world.quote(await world.account({ credit: "1" }), "createImageEdit", formOf("createImageEdit"));
    expect([status, json.error.code, json.error.param]).toEqual([402, "model_requires_paid", "model"]);
  });

  test("403 operation_not_allowed: a key needs the quoted operation, too", async () => {
    const { accountId } = await world.account();
    const { secret } = await createKey(world.gateway.context.db, {
      ...{ accountId, name: "images", at: new Date(), policy: { allowed_operations: ["createQuote", "createImageEdit"] } },
    } as Parameters<typeof createKey>[1]);
    expect((await world.quote({ key: secret }, "createImageEdit", formOf("createImageEdit"))).status).toBe(200);
    const { status, json } = await world.quote({ key: secret }, "cloneVoice", formOf("cloneVoice"));
    expect([status, json.error.code]).toEqual([403, "operation_not_allowed"]);
  });

  test("404 model_not_found: an operation that is paused, whatever its form", async () => {
    const defaults = world.gateway.context.catalog.defaults as Record<string, unknown>;
    const served = defaults["voice-clone"];
    defaults["voice-clone"] = null;
    const { status, json } = await world.quote(await world.account(), "cloneVoice", formOf("cloneVoice", { file: text("no sound") }));
    defaults["voice-clone"] = served;
    expect([status, json.error.code]).toEqual([404, "model_not_found"]);
  });
});

describe("400, of the quote itself", () => {
  const send = async (parts: [string, string | Blob][]) => {
    const sent = new Response(formWith(parts));
    const { key } = await world.account();
    const headers = { "content-type": sent.headers.get("content-type")! };
    const { status, json } = await world.gateway.request("POST", "/v1/quote", {
      key,
      headers,
      body: Buffer.from(await sent.arrayBuffer()),
    });
    return [status, json.error.code, json.error.param, json.error.message];
  };
  const file: [string, Blob] = ["file", recordingOf(1)];

  test.each<[string, [string, string | Blob][], string, RegExp]>([
    ["without the operation", [file], "missing_parameter", /operation/],
    ["an unknown operation", [["operation", "listModels"], file], "invalid_parameter", /as JSON/],
    ["an operation that takes JSON", [["operation", "createSpeech"], file], "invalid_parameter", /as JSON/],
    ["two operations", [["operation", "cloneVoice"], ["operation", "createTranslation"], file], "invalid_parameter", /operation/],
    ["an operation that is a file", [["operation", recordingOf(1)], file], "invalid_parameter", /operation/],
  ])("%s", async (_, parts, code, words) => {
    expect(await send(parts)).toEqual([400, code, "operation", expect.stringMatching(words)]);
    await expectNothingOnDisk();
  });

  test("JSON for an operation that takes a form alone: the message says how it is quoted", async () => {
    const { status, json } = await world.quote(await world.account(), "createImageEdit", { model: "demo/edit", prompt: "Night" });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "operation"]);
    expect(json.error.message).toContain("is quoted as the form");
  });

  test("a form that ends in the middle", async () => {
    const { key } = await world.account();
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    const body = '--x\r\ncontent-disposition: form-data; name="operation"\r\n\r\ncloneV';
    const { status, json } = await world.gateway.request("POST", "/v1/quote", { key, headers, body });
    expect([status, json.error.code]).toEqual([400, "invalid_parameter"]);
  });
});
