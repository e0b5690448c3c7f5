// The matrix of clients: each published client makes each kind of call, and what it shows of usage and cost is what was charged.
// docs/client-matrix.md is the result; `npm run test:clients` writes it.
import { delimiter } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type MatrixRow, readMatrix, writeMatrix } from "../../support/matrix-page.ts";
import { awayFromMinuteEdge } from "../../limits/counted-database.ts";
import { isEveryday, isWhole } from "../../support/bundle.ts";
import { drawn } from "../../support/size.ts";
import { costOf, useClients } from "../clients.ts";
import { pythonSdkTools } from "../python/environment.ts";
import { builtPythonSdk } from "../python/built-sdk.ts";
import { describeWithPython, usePython } from "../python/python.ts";
import { whyNotThere } from "../more/environment.ts";
import { agents } from "./agents.ts";
import { anthropicClients } from "./anthropic-like.ts";
import { type At, type Client, embedder, model, question, unserved } from "./client.ts";
import { frameworkClients } from "./frameworks.ts";
import { mastra } from "./mastra.ts";
import { openaiClients } from "./openai-like.ts";
import { programClients } from "./programs.ts";
import { clientOf, type PythonClient, pythonClients } from "./python.ts";
import { type Cell, form } from "./table.ts";

const clients = useClients();
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
const rows: MatrixRow[] = [];

/** A key of its own for each call, so that what is charged is that call's. */
async function place(): Promise<At> {
  return { base: clients.gateway.url, customer: await clients.customer(), toolsCalled };
}

function toolsCalled(): string[] {
  const told = clients.gateway.simulator.calls().flatMap(({ json }) => (json as { messages?: any[] }).messages ?? []);
  const results = new Set(told.filter(({ role }) => role === "tool").map(({ tool_call_id }) => tool_call_id as string));
  const called = told.flatMap(({ tool_calls }) => (tool_calls ?? []) as { id: string; function: { name: string } }[]);
  return called.filter(({ id }) => results.has(id)).map(({ function: { name } }) => name);
}

/** Usage and cost that a client shows are right or not shown, never wrong. */
async function seen(client: Client, column: "chat" | "stream"): Promise<{ usage: Cell; cost: Cell }> {
  const { estimates = [], guessesCost = false } = client;
  const rounds = estimates.includes(column);
  const at = await place();
  const { text, input, output, cost } = await client[column]!(at);
  expect(text).toContain("You said:");
  const spent = await at.customer.spent();
  expect(spent).toBeGreaterThan(0);
  const counted = typeof input === "number" && typeof output === "number" && input + output > 0;
  if (counted && !rounds) expect(costOf({ input, output })).toBeCloseTo(spent, 8);
  if (typeof cost === "number" && !guessesCost) expect(cost).toBeCloseTo(spent, 8);
  return { usage: counted ? (rounds ? "about" : "yes") : "no", cost: typeof cost === "number" ? (guessesCost ? "about" : "yes") : "no" };
}

interface Refusal {
  status: number;
  code: string;
  asked: string;
  at(): Promise<At>;
}

/** Calls that are refused, with the customer who makes them. */
const refusals: readonly Refusal[] = [
  { status: 401, code: "invalid_api_key", asked: model, at: async () => withKey(await place(), "svc_of_nobody") },
  { status: 402, code: "insufficient_credits", asked: model, at: async () => ({ ...(await place()), customer: await clients.customer({ deposit: "0.000001" }) }) }, // prettier-ignore
  { status: 404, code: "model_not_found", asked: unserved, at: place },
  { status: 429, code: "rate_limit_exceeded", asked: model, at: usedUp },
];

const withKey = (at: At, key: string): At => ({ ...at, customer: { ...at.customer, account: { ...at.customer.account, key } } });

/** With a key that may call once a minute, and has. */
async function usedUp(): Promise<At> {
  const { gateway } = clients;
  const at = await place();
  const { token } = await gateway.createSession(at.customer.account);
  const made = await gateway.request("POST", "/v1/auth/keys", { key: token, body: { name: "slow", rpm: 1 } });
  const { api_key: key } = made.json as { api_key: string };
  await awayFromMinuteEdge(isEveryday() ? 5_000 : 25_000);
  const body = { model, messages: [{ role: "user", content: question }] };
  expect((await gateway.request("POST", "/v1/chat/completions", { key, body })).status).toBe(200);
  return withKey(at, key);
}

function rowOf(client: () => Client): void {
  const cells: Record<string, Cell> = {};
  const { name, toolCalled = "get_weather" } = client();
  afterAll(() => {
    if (Object.keys(cells).length > 0) rows.push({ names: [name, client().version], cells });
  });
  const column = (of: keyof Client, title: string, run: () => Promise<void>) => {
    if (client()[of] === undefined) return;
    test(title, async () => {
      cells[of] = "no";
      await run();
      cells[of] = "yes";
    });
  };
  column("chat", "chat: the answer; usage and cost are right where they are shown", async () => {
    ({ usage: cells["usage"], cost: cells["cost"] } = await seen(client(), "chat"));
  });
  column("stream", "stream: the same, streamed", async () => {
    ({ usage: cells["usage streamed"], cost: cells["cost streamed"] } = await seen(client(), "stream"));
  });
  column("tools", "tools: the call of the tool", async () => {
    expect(await client().tools!(await place())).toBe(toolCalled);
  });
  column("structured", "structured: a value of the schema", async () => {
    expect(await client().structured!(await place())).toMatchObject({
      title: expect.any(String) as string,
      stars: expect.any(Number) as number,
    });
  });
  column("embeddings", "embeddings: a vector", async () => {
    expect(await client().embeddings!(await place())).toBeGreaterThan(100);
  });
  column("errors", "errors: the code of a refusal", async () => {
    expect(await client().errors!(await place())).toBe("model_not_found");
  });
  column("refused", "refused: 401, 402, 404 and 429 in the client's own type of errors", async () => {
    const { refused, typesOfErrors } = client();
    for (const { status, code, asked, at } of refusals) {
      const type = typesOfErrors === undefined ? {} : { type: typesOfErrors[status] };
      expect(await refused!(await at(), asked)).toEqual({ status, code, ...type });
    }
  });
  column("models", "models: its list of them", async () => {
    expect(await client().models!(await place())).toEqual(expect.arrayContaining([model, embedder]));
  });
  column("batch", "batch: a file sent up, a batch of it, and its results", async () => {
    const at = await place();
    const body = { model, messages: [{ role: "user", content: question }] };
    const line = JSON.stringify({ custom_id: "sea", method: "POST", url: "/v1/chat/completions", body });
    const result = JSON.parse(await client().batch!(at, line)) as { custom_id: string; response: { status_code: number } };
    expect(result).toMatchObject({ custom_id: "sea", response: { status_code: 200 } });
    expect(await at.customer.spent()).toBeGreaterThan(0);
  });
  if (client().refusal !== undefined)
    test("errors: what a refusal says", async () => {
      expect(await client().refusal!(await place())).toContain("none/such is not served here");
      cells["errors"] = "text";
    });
}

/** Of those that only npm run test:clients installs: run where they are there, but not in runs of all tests, for their minutes. */
function thereOf<Row extends { name: string; needs?: string }>(all: readonly Row[]): readonly Row[] {
  return all.filter(({ name, needs }) => {
    const reason = needs === undefined ? null : isWhole() ? "not in runs of all tests" : whyNotThere(needs);
    if (reason !== null) describe.skip(`${name} (${reason})`, () => test("its row of the matrix"));
    return reason === null;
  });
}

const programs = [...openaiClients, ...frameworkClients, ...anthropicClients, mastra, ...programClients, ...agents];
describe.each(thereOf(programs))("$name $version", (client) => rowOf(() => client));

const ofPython = pythonClients();
const nameOf = ({ name }: PythonClient) => `${name} (Python)`;
// Each framework is a process that loads for seconds.
const frameworks = ofPython.filter(({ module, needs }) => module !== undefined && needs === undefined);
const chosen = new Set(drawn(frameworks, 2));
describe.each(thereOf(ofPython.filter((own) => own.needs !== undefined || own.module === undefined || chosen.has(own))))(
  "$name, $environment",
  (own) => {
    describeWithPython(`${own.name} for Python`, () => {
      beforeAll(async () => {
        if (own.packages === null) own.environment["PYTHONPATH"] = [await builtPythonSdk(), pythonSdkTools].join(delimiter);
      });
      const python = usePython(own.module ?? "matrix", own.environment);
      let version = "of this contract";
      beforeAll(async () => {
        if (own.packages === null) return;
        version = (await python.run("version", { base: "", key: "" }, { packages: own.packages })).value as string;
      });
      rowOf(() => clientOf(own, version, python));
    });
  },
);

test("what docs/client-matrix.md says that a client does, it did, where it ran", () => {
  if (process.env["SVC_CLIENT_MATRIX"] !== undefined) writeMatrix(form, withKept(rows));
  const said = readMatrix(form);
  expect(rows.length).toBeGreaterThan(0);
  for (const { names, cells } of rows) {
    const row = said.find((one) => one.names.join() === names.join());
    expect([...names, row !== undefined]).toEqual([...names, true]);
    const promised = Object.entries(row!.cells).filter(([, cell]) => cell === "yes");
    expect([...names, promised.filter(([column]) => cells[column] !== "yes")]).toEqual([...names, []]);
  }
});

/** The rows of clients that did not run, because they are not installed here or the run was of others, stay as they were. */
function withKept(written: readonly MatrixRow[]): MatrixRow[] {
  const ran = new Set(written.map(({ names: [name] }) => name));
  const order = [...programs.map(({ name }) => name), ...ofPython.map(nameOf)];
  const kept = readMatrix(form).filter(({ names: [name = ""] }) => order.includes(name) && !ran.has(name));
  return [...written, ...kept].sort((one, other) => order.indexOf(one.names[0]!) - order.indexOf(other.names[0]!));
}
