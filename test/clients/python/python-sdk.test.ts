// This gateway's Python SDK against the gateway: it is generated from the contract as it is, and called as Python programs call it.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { operations } from "../../../generated/operations.ts";
import { buildPythonSdk } from "../../../spec/python-sdk/build.ts";
import { runEnvironment, scratchFolder } from "../../support/leftovers.ts";
import { oneInThree } from "../../support/size.ts";
import { audioCatalog } from "../audio-upstreams.ts";
import { costOf, useClients } from "../clients.ts";
import { builtPythonSdk } from "./built-sdk.ts";
import { interpreter, pythonSdkTools } from "./environment.ts";
import { describeWithPython, usePython } from "./python.ts";

let folder: string;
/** Filled before a process begins. */
const environment: Record<string, string> = {};
const useSdk = () =>
  beforeAll(async () => {
    folder = await builtPythonSdk();
    environment["PYTHONPATH"] = [folder, pythonSdkTools].join(delimiter);
  });

describeWithPython("svc-sdk for Python", () => {
  useSdk();
  const clients = useClients();
  const python = usePython("python_sdk", environment);
  const customerAt = async () => {
    const customer = await clients.customer();
    const at = { base: clients.gateway.url, key: customer.account.key };
    const ran = (scenario: string, args: Record<string, unknown> = {}) => python.run(scenario, at, args);
    const run = async (scenario: string, args: Record<string, unknown> = {}) => {
      const { value, raised } = await ran(scenario, args);
      if (raised) throw new Error(`${raised.class}: ${raised.text}`);
      return value;
    };
    return { customer, run, ran, at };
  };

  test("every operation of the contract is a module of it", async () => {
    const { run } = await customerAt();
    const snake = (id: string) => id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    expect((await run("operations")).sort()).toEqual(Object.keys(operations).map(snake).sort());
  });

  test("the same contract gives the same files", async () => {
    const again = join(scratchFolder("python-sdk-again-"), "sdk");
    await buildPythonSdk(again);
    expect(filesOf(again)).toEqual(filesOf(folder));
  });

  test("chat: a typed answer, its usage and the cost that was charged", async () => {
    const { customer, run } = await customerAt();
    const { type, answer } = await run("chat", { model: "plain/chat" });
    expect([type, answer.choices[0].finish_reason]).toEqual(["ChatCompletion", "stop"]);
    const { prompt_tokens, completion_tokens, cost } = answer.usage;
    expect(cost).toBeCloseTo(costOf({ input: prompt_tokens, output: completion_tokens }), 8);
    expect(await customer.spent()).toBe(cost);
  });

  test("asyncio says the same as sync", async () => {
    const { run } = await customerAt();
    const { answer } = await run("chat", { model: "plain/chat" });
    const { choices, usage } = await run("chat_async", { model: "plain/chat" });
    expect({ choices, usage }).toEqual({ choices: answer.choices, usage: answer.usage });
  });

  test("a message, the status and headers of an answer, the models, the balance", async () => {
    const { run } = await customerAt();
    expect(await run("message", { model: "plain/chat" })).toMatchObject({ type: "message", role: "assistant", stop_reason: "end_turn" });
    expect(await run("detailed", { model: "plain/chat" })).toEqual({ status: 200, model: "plain/chat" });
    expect(await run("models")).toContain("plain/chat");
    expect(await run("balance")).toMatchObject({ balance: expect.any(Number) as number });
  });

  test("a stream's events, sync and async, and no [DONE] among them", async () => {
    const { run } = await customerAt();
    const { answer } = await run("chat", { model: "plain/chat" });
    const events = await run("streamed", { model: "plain/chat" });
    const textOf = (all: any[]) => all.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
    expect(textOf(events)).toBe(answer.choices[0].message.content);
    expect(events.at(-1).usage).toEqual(answer.usage);
    expect(textOf(await run("streamed_async", { model: "plain/chat" }))).toBe(answer.choices[0].message.content);
  });

  test("typed streams: the events of each dialect are its models, with all that the dicts say", async () => {
    const { run } = await customerAt();
    const events = await run("streamed", { model: "plain/chat" });
    for (const scenario of ["typed_chat", "typed_chat_async"]) {
      const chat = await run(scenario, { model: "plain/chat" });
      expect([scenario, chat.types]).toEqual([scenario, ["ChatChunk"]]);
      expect(chat.events[1].choices).toEqual(events[1].choices);
    }
    expect((await run("typed_completion", { model: "plain/chat" })).types).toEqual(["CompletionChunk"]);
    const message = await run("typed_message", { model: "plain/chat" });
    const kinds = ["BlockDeltaEvent", "BlockStartEvent", "BlockStopEvent", "MessageDeltaEvent", "MessageStartEvent", "MessageStopEvent"];
    expect(message.types).toEqual(expect.arrayContaining(kinds));
    const response = await run("typed_response", { model: "plain/chat" });
    expect(response.types).toContain("ResponseTextDeltaEvent");
    expect(response.events.at(-1)).toMatchObject({
      type: "response.completed",
      response: { usage: { cost: expect.any(Number) as number } },
    });
  });

  oneInThree()(
    "a type checker sees it all: an answer is no None, events are models, and a member that isn't there is an error",
    async () => {
      const args = ["-B", "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", "/dev/null", "typed_program.py"];
      const env = { ...runEnvironment(), PYTHONPATH: pythonSdkTools, MYPYPATH: folder };
      const { stdout } = await promisify(execFile)(interpreter, args, { cwd: import.meta.dirname, env }).catch(
        (error: unknown) => error as { stdout: string },
      );
      expect(stdout).toBe("Success: no issues found in 1 source file\n");
    },
    300_000, // ten seconds of a processor: time-outs end only what hangs
  );

  test("a refusal is ApiError with its code, whole and streamed", async () => {
    const { ran, at } = await customerAt();
    for (const scenario of ["chat", "streamed", "chat_async", "streamed_async", "message"]) {
      const { raised } = await ran(scenario, { model: "none/such" });
      expect([scenario, raised?.class, raised?.status_code, raised?.code]).toEqual([scenario, "ApiError", 404, "model_not_found"]);
      expect(raised?.request_id).toMatch(/^req_/);
    }
    const { raised } = await python.run("chat", { ...at, key: "svc_wrong" }, { model: "plain/chat" });
    expect([raised?.class, raised?.status_code, raised?.code]).toEqual(["ApiError", 401, "invalid_api_key"]);
  });

  test("what its README shows prints an answer, its cost and the streamed answer", async () => {
    const { at } = await customerAt();
    const readme = readFileSync(join(folder, "README.md"), "utf8");
    const program = /```python\n([\s\S]*?)```/.exec(readme)![1]!;
    const env = { ...runEnvironment(), ...environment, SVC_URL: at.base, SVC_KEY: at.key };
    const { stdout } = await promisify(execFile)(interpreter, ["-B", "-c", program], { env });
    const [answer, streamed] = stdout.split("\n");
    expect(answer).toMatch(/^You said: "Hello!.* [\d.e-]+$/);
    expect(answer!.startsWith(streamed!)).toBe(true);
  });

  test("a stream that breaks off raises its error after what came before", async () => {
    const { ran } = await customerAt();
    const { raised } = await ran("streamed", { model: "broken/error-record" });
    expect(raised?.class).toBe("ApiError");
  });
});

describeWithPython("svc-sdk for Python: sound", () => {
  useSdk();
  const clients = useClients(audioCatalog());
  const python = usePython("python_sdk", environment);
  test("speech as bytes, and a form with a file", async () => {
    const { account } = await clients.customer();
    const at = { base: clients.gateway.url, key: account.key };
    const { value, raised } = await python.run("speech_and_back", at, { model: "say/plain", transcriber: "transcribe" });
    expect(raised).toBeUndefined();
    expect(value.bytes).toBeGreaterThan(1000);
    expect(value.heard.text).not.toBe("");
  });

  test("a transcript's typed stream, of a form", async () => {
    const { account } = await clients.customer();
    const at = { base: clients.gateway.url, key: account.key };
    const { value, raised } = await python.run("typed_transcript", at, { model: "say/plain", transcriber: "transcribe" });
    expect(raised).toBeUndefined();
    expect(value.types).toEqual(expect.arrayContaining(["TranscriptDelta", "TranscriptDone"]));
  });
});

/** Names and what is in them. */
function filesOf(folder: string): Record<string, string> {
  const names = globSync("**/*.{py,toml,md,typed}", { cwd: folder }).sort();
  return Object.fromEntries(
    names.map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex"),
    ]),
  );
}
