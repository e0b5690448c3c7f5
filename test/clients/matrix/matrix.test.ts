// The matrix of clients: each published client makes each kind of call, and what it shows of usage and cost is what was charged.
// docs/client-matrix.md is the result; `npm run test:clients` writes it.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildPythonSdk } from "../../../spec/python-sdk/build.ts";
import { scratchFolder } from "../../support/leftovers.ts";
import { type MatrixRow, readMatrix, writeMatrix } from "../../support/matrix-page.ts";
import { drawn } from "../../support/size.ts";
import { costOf, useClients } from "../clients.ts";
import { whyNot } from "../python/environment.ts";
import { describeWithPython, usePython } from "../python/python.ts";
import { anthropicClients } from "./anthropic-like.ts";
import type { At, Client, Shown } from "./client.ts";
import { frameworkClients } from "./frameworks.ts";
import { openaiClients } from "./openai-like.ts";
import { clientOf, pythonClients } from "./python.ts";
import { type Cell, form } from "./table.ts";

const clients = useClients();
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
const rows: MatrixRow[] = [];

/** A key of its own for each call, so that what is charged is that call's. */
async function place(): Promise<At> {
  return { base: clients.gateway.url, customer: await clients.customer() };
}

/** Usage and cost that a client shows are right or not shown, never wrong. */
async function seen(call: (at: At) => Promise<Shown>, estimates = false): Promise<{ usage: Cell; cost: Cell }> {
  const at = await place();
  const { text, input, output, cost } = await call(at);
  expect(text).toContain("You said:");
  const spent = await at.customer.spent();
  expect(spent).toBeGreaterThan(0);
  const counted = typeof input === "number" && typeof output === "number" && input + output > 0;
  if (counted && !estimates) expect(costOf({ input, output })).toBeCloseTo(spent, 8);
  if (typeof cost === "number") expect(cost).toBeCloseTo(spent, 8);
  return { usage: counted ? (estimates ? "about" : "yes") : "no", cost: typeof cost === "number" ? "yes" : "no" };
}

function rowOf(client: () => Client): void {
  const cells: Record<string, Cell> = {};
  const { name } = client();
  afterAll(() => void rows.push({ names: [name, client().version], cells }));
  const column = (of: keyof Client, title: string, run: () => Promise<void>) => {
    if (client()[of] !== undefined)
      test(title, async () => {
        cells[of] = "no";
        await run();
        cells[of] = "yes";
      });
  };
  column("chat", "chat: the answer; usage and cost are right where they are shown", async () => {
    ({ usage: cells["usage"], cost: cells["cost"] } = await seen(client().chat!));
  });
  column("stream", "stream: the same, streamed", async () => {
    ({ usage: cells["usage streamed"], cost: cells["cost streamed"] } = await seen(client().stream!, client().estimatesStreams));
  });
  column("tools", "tools: the call of the tool", async () => {
    expect(await client().tools!(await place())).toBe("get_weather");
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
}

describe.each([...openaiClients, ...frameworkClients, ...anthropicClients])("$name $version", (client) => rowOf(() => client));

const sdk = join(scratchFolder("matrix-sdk-"), "sdk");
const ofPython = pythonClients(sdk);
// Each framework is a process that loads for seconds.
const frameworks = ofPython.filter(({ module }) => module !== undefined);
const chosen = new Set(drawn(frameworks, 4));
describe.each(ofPython.filter((own) => own.module === undefined || chosen.has(own)))("$name, $environment", (own) => {
  describeWithPython(`${own.name} for Python`, () => {
    beforeAll(() => own.packages === null && buildPythonSdk(sdk));
    const python = usePython(own.module ?? "matrix", own.environment);
    let version = "of this contract";
    beforeAll(async () => {
      if (own.packages === null) return;
      version = (await python.run("version", { base: "", key: "" }, { packages: own.packages })).value as string;
    });
    rowOf(() => clientOf(own, version, python));
  });
});

test("what docs/client-matrix.md says that a client does, it did, where it ran", () => {
  if (process.env["SVC_CLIENT_MATRIX"] !== undefined) {
    const reason = whyNot();
    if (reason !== null) throw new Error(`without Python's clients the page would lose their rows: ${reason}`);
    writeMatrix(form, rows);
  }
  const said = readMatrix(form);
  expect(rows.length).toBeGreaterThan(10);
  for (const { names, cells } of rows) {
    const row = said.find((one) => one.names.join() === names.join());
    expect([...names, row !== undefined]).toEqual([...names, true]);
    const promised = Object.entries(row!.cells).filter(([, cell]) => cell === "yes");
    expect([...names, promised.filter(([column]) => cells[column] !== "yes")]).toEqual([...names, []]);
  }
});
