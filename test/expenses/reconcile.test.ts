// `svc reconcile`: a provider's export against the usage log, by day and model; a broken export is refused with its line.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callSvc } from "../cli/run-svc.ts";
import { scratchFolder } from "../support/leftovers.ts";
import type { Gateway, TestAccount } from "../support/gateway.ts";
import { asks, catalog, keys, make, openWorld } from "./world.ts";

let gateway: Gateway;
let account: TestAccount;
/** Of the one call that the log has at each provider. */
let chat: { input: bigint; output: bigint };
let message: { input: bigint; output: bigint };
const folder = scratchFolder("svc-reconcile-");
/** The day of the calls. */
let today: string;

beforeAll(async () => {
  ({ gateway, account } = await openWorld());
  writeFileSync(join(folder, "catalog.json"), JSON.stringify(catalog));
  const first = (await make(gateway, account, asks["sold below cost"])).row;
  today = first.created_at.toISOString().slice(0, 10);
  chat = { input: first.input_tokens, output: first.output_tokens };
  await make(gateway, account, asks["an unreadable answer alone"]); // of another provider
  const second = (await make(gateway, account, asks["a message that fills the cache for an hour"])).row;
  message = { input: second.input_tokens, output: second.output_tokens };
});
afterAll(() => gateway.stop());

async function reconcile(provider: string, text: string, ...more: string[]) {
  const path = join(folder, "export.csv");
  writeFileSync(path, text);
  const environment = { ...keys, DATABASE_URL: gateway.databaseUrl, SVC_CATALOG: join(folder, "catalog.json") };
  const ran = await callSvc(environment, ["reconcile", provider, path, ...more]);
  return { ...ran, stderr: ran.stderr.replace(path, "FILE"), path };
}

const head =
  "start_time,end_time,start_time_iso,project_id,num_model_requests,api_key_id,model,batch,input_tokens,output_tokens,input_cached_tokens";
type Row = [requests: number, model: string, input: unknown, output: unknown, cached?: number, key?: string];

function exportOf(day: string, rows: Row[]): string {
  const from = secondsOf(day);
  const lines = rows.map(([requests, model, input, output, cached = 0, key = "key_1"]) =>
    [from, from + 86_400, `${day}T00:00:00+00:00`, "proj_1", requests, key, model, "False", input, output, cached].join(","),
  );
  return [head, ...lines, ""].join("\n");
}

const secondsOf = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1000;
const openai = (...rows: Row[]) => exportOf(today, rows);

describe("OpenAI's export", () => {
  test("that agrees: nothing is printed but that, and 0; a dated version is the model that was asked for", async () => {
    const before = new Date((secondsOf(today) - 86_400) * 1_000).toISOString().slice(0, 10);
    const blank = `${secondsOf(today) - 86_400},${secondsOf(today)},2020-01-01T00:00:00+00:00,,,,,,,,\n`;
    for (const model of ["chat", "chat-2026-04-14"]) {
      const ran = await reconcile("south", openai([1, model, chat.input, chat.output]) + blank);
      expect([ran.status, ran.stdout, ran.stderr]).toEqual([0, `south, ${before} to ${today}: everything agrees\n`, ""]);
    }
  });

  test("figures that differ are told with both sides, models that only one side knows too, and 1", async () => {
    const ran = await reconcile("south", openai([2, "chat", chat.input + 5n, chat.output], [3, "gpt-other", 7, 8]), "--json");
    expect(ran.status).toBe(1);
    const row = (model: string, figure: string, theirs: number, ours: number) => ({
      day: today,
      model,
      figure,
      theirs,
      ours,
      difference: theirs - ours,
    });
    expect(ran.json().rows).toEqual([
      row("chat", "requests", 2, 1),
      row("chat", "input", Number(chat.input) + 5, Number(chat.input)),
      row("gpt-other", "requests", 3, 0),
      row("gpt-other", "input", 7, 0),
      row("gpt-other", "output", 8, 0),
    ]);
    const { stdout } = await reconcile("south", openai([2, "chat", chat.input, chat.output]));
    expect(stdout).toBe(`${today} chat: requests 2, ours 1: 1 more than ours\nsouth, ${today}: differences: 1\n`);
  });

  test("a decision counts as often as its provider was asked", async () => {
    const criteria = { refund: "Give the money back", wait: "Do nothing yet" };
    const questions = Object.fromEntries(["a", "b", "c"].map((id) => [id, { type: "choice", criteria }]));
    const body = { state: "The parcel is lost, the customer wants the money", questions };
    const reply = await gateway.request("POST", "/v1/decisions", { key: account.key, body });
    expect(reply.status).toBe(200);
    expect(gateway.simulator.calls().filter(({ model }) => model === "decide")).toHaveLength(3);
    const { stdout } = await reconcile("judges", openai([3, "decide", 0, 0]), "--json");
    expect(stdout).not.toContain("requests");
    expect((await reconcile("judges", openai([2, "decide", 0, 0]))).stdout).toContain("decide: requests 2, ours 3");
  });

  test("an answer that could not be read was answered anyway", async () => {
    const ran = await reconcile("north", openai([1, "chat+sim-bad-json", 0, 0]));
    expect([ran.status, ran.stdout]).toEqual([0, `north, ${today}: everything agrees\n`]);
  });

  test("a blank day at its end counts: what the log has there is missing in the export", async () => {
    const yesterday = new Date((secondsOf(today) - 86_400) * 1_000).toISOString().slice(0, 10);
    const blank = `${secondsOf(today)},${secondsOf(today) + 86_400},2020-01-01T00:00:00+00:00,,,,,,,,\n`;
    const ran = await reconcile("south", exportOf(yesterday, [[1, "chat", 5, 5]]) + blank, "--json");
    expect(ran.json().rows).toContainEqual({ day: today, model: "chat", figure: "requests", theirs: 0, ours: 1, difference: -1 });
  });

  test("of several keys: refused until one is named", async () => {
    const text = openai([1, "chat", chat.input, chat.output], [9, "chat", 9, 9, 0, "key_2"]);
    expect(await reconcile("south", text)).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining("there are key_1, key_2"),
    });
    expect(await reconcile("south", text, "--key", "key_1")).toMatchObject({ status: 0 });
    expect(await reconcile("south", text, "--key", "key_3")).toMatchObject({ status: 1, stdout: "" });
  });
});

test("of a provider with several credentials: all keys against all calls, or one key against its credential's calls", async () => {
  const rows = [1, 2, 3].map(() => make(gateway, account, asks["spread over credentials"]));
  const used = (await Promise.all(rows)).map(({ row }) => ({
    input: row.input_tokens,
    output: row.output_tokens,
    by: row.attempts[0]!.credential,
  }));
  const keyOf = { a: "key_1", b: "key_2" } as Record<string, string>;
  expect(used.map(({ by }) => by).sort()).toEqual(["a", "a", "b"]);
  const text = openai(...used.map(({ input, output, by }): Row => [1, "spread", input, output, 0, keyOf[by!]]), [
    9,
    "spread",
    9,
    9,
    0,
    "key_of_another_gateway",
  ]);
  const agrees = { status: 0, stdout: `spread, ${today}: everything agrees\n` };
  expect(await reconcile("spread", text, "--key", "key_1,key_2")).toMatchObject(agrees);
  for (const [credential, key] of Object.entries(keyOf))
    expect(await reconcile("spread", text, "--key", key, "--credential", credential)).toMatchObject(agrees);
  const mixed = await reconcile("spread", text, "--key", "key_1", "--credential", "b", "--json");
  expect(mixed.json().rows).toContainEqual({ day: today, model: "spread", figure: "requests", theirs: 2, ours: 1, difference: 1 });
  expect(await reconcile("spread", text, "--key", "key_1", "--credential", "c")).toMatchObject({
    ...{ status: 1, stdout: "", stderr: "spread has no credential c; it has a, b\n" },
  });
  expect(await reconcile("south", text, "--credential", "a")).toMatchObject({ status: 1, stderr: "south has no list of credentials\n" });
});

test("Anthropic's export: cache reads and writes are input", async () => {
  const names = ["no_cache", "cache_write_5m", "cache_write_1h", "cache_read"].map((part) => `usage_input_tokens_${part}`).join(",");
  const row = `${today},claude+sim-cached-3+sim-cache-write-5,"my ""own"" key",Default,standard,≤ 200k,${message.input},0,5,3,${message.output},0`;
  const text = `usage_date_utc,model_version,api_key,workspace,usage_type,context_window,${names},usage_output_tokens,web_search_count\r\n${row}\r\n`;
  expect(await reconcile("claude", text)).toMatchObject({ status: 0, stdout: `claude, ${today}: everything agrees\n` });
});

test("--map names the columns of any other file", async () => {
  const text = `Date,Model,Prompt,Cached,Completion\n${today} 00:30:00,chat,${chat.input - 2n},2,${chat.output}\n`;
  expect(await reconcile("south", text)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^FILE:1: neither OpenAI's nor Anthropic's/),
  });
  const map = "day=Date,model=Model,input=Prompt+Cached,output=Completion";
  expect(await reconcile("south", text, "--map", map)).toMatchObject({ status: 0 });
  for (const wrong of ["day=Date", "day=Date,model=Model,tokens=Prompt", "nonsense"])
    expect(await reconcile("south", text, "--map", wrong)).toMatchObject({ status: 2, stdout: "" });
  expect(await reconcile("south", text, "--map", "day=Date,model=Model,input=Tokens")).toMatchObject({
    status: 1,
    stderr: "FILE:1: there is no column Tokens\n",
  });
});

describe("a broken export is refused with the line, and nothing else is printed", () => {
  const broken = (...rows: Row[]) => exportOf("2026-01-01", rows);
  const good = broken([1, "chat", 5, 5]);
  test.each([
    ["an empty file", "", "FILE:1: the file is empty"],
    ["no usage", `${head}\n`, "FILE:1: the file has no usage"],
    ["cut in the middle of a line", `${good}${good.split("\n")[1]!.slice(0, 60)}`, "FILE:3: 6 fields instead of 11: is the file complete?"],
    ["cut in its last figure", good.slice(0, -1), "FILE:2: the line has no line break: is the file complete?"],
    ["cut in a quoted field", `${good}"175`, "FILE:3: a quotation mark is not closed or stands in a field: is the file complete?"],
    [
      "a negative figure",
      `${good}${broken([1, "chat", -5, 5]).split("\n")[1]!}\n`,
      'FILE:3: input_tokens is no number of requests or tokens: "-5"',
    ],
    [
      "an absurd figure",
      broken([1, "chat", "9".repeat(16), 5]),
      `FILE:2: input_tokens is no number of requests or tokens: "${"9".repeat(16)}"`,
    ],
    ["words for a figure", broken([1, "chat", "many", 5]), 'FILE:2: input_tokens is no number of requests or tokens: "many"'],
    ["half a token", broken([1, "chat", "1.5", 5]), 'FILE:2: input_tokens is no number of requests or tokens: "1.5"'],
    ["no model beside figures", broken([1, "", 5, 5]), "FILE:2: model is empty"],
    ["a day that is none", good.replace(String(secondsOf("2026-01-01")), "yesterday"), 'FILE:2: start_time is no day: "yesterday"'],
  ])("%s", async (_, text, message) => {
    expect(await reconcile("south", text, "--json")).toMatchObject({ status: 1, stdout: "", stderr: `${message}\n` });
  });

  test("a provider that the catalog lacks, a file that is not there", async () => {
    expect(await reconcile("weather", good)).toMatchObject({ status: 1, stderr: "the catalog has no provider weather\n" });
    expect((await callSvc({ SVC_CATALOG: join(folder, "catalog.json") }, ["reconcile", "south", "none.csv"])).status).toBe(1);
  });
});
