// The hosts of docs/behaviour/providers.md#hosts: where usage and cached tokens are, how each reports reasoning, tool calls, log
// probabilities, ends and errors. The recorded bytes are fixtures/hosts/<host>/<quirk>.{json,sse}; <host>.ts beside this file says what
// they must become.
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type Answer, startHost } from "../../upstream-fixture.ts";
import { ask, askStream, askWhole, collect, events, expectFault, json } from "../chat-fixture.ts";
import { expectRules } from "../rules.ts";
import { alibaba } from "./alibaba.ts";
import { azure } from "./azure.ts";
import { deepinfra } from "./deepinfra.ts";
import { deepseek } from "./deepseek.ts";
import { fireworks } from "./fireworks.ts";
import { gemini } from "./gemini.ts";
import { groq } from "./groq.ts";
import { mistral } from "./mistral.ts";
import { moonshot } from "./moonshot.ts";
import { ollama } from "./ollama.ts";
import { openai } from "./openai.ts";
import { openrouter } from "./openrouter.ts";
import { others } from "./others.ts";
import { type Host, tell, type Shown } from "./shown.ts";
import { together } from "./together.ts";
import { vllm } from "./vllm.ts";
import { xai } from "./xai.ts";

const hosts: Record<string, Host> = {
  openai,
  groq,
  together,
  deepinfra,
  openrouter,
  vllm,
  ollama,
  deepseek,
  moonshot,
  mistral,
  xai,
  alibaba,
  fireworks,
  gemini,
  azure,
  others,
};
const folder = fileURLToPath(new URL("../fixtures/hosts/", import.meta.url));
const nothing: Shown = { content: "", reasoning: "", refusal: "", calls: [], finish: "stop", logprobs: [], kept: [] };

test("each file has its meaning, and each meaning its file", () => {
  const meant = Object.entries(hosts).flatMap(([host, { answers, faults }]) =>
    [...Object.keys(answers), ...Object.keys(faults)].map((name) => `${host}/${name}`),
  );
  expect(meant.sort()).toEqual(globSync("*/*", { cwd: folder }).sort());
});

describe.each(Object.keys(hosts))("%s", (host) => {
  const { answers, faults } = hosts[host]!;
  const textOf = (name: string) => readFileSync(`${folder}${host}/${name}`, "utf8");

  test.each(Object.keys(answers))("%s: what the caller gets and what it is billed by", async (name) => {
    const { usage = null, variant, ...told } = answers[name]!;
    const expected = { ...nothing, ...told };
    const provider = { variant };
    const text = textOf(name);
    if (name.endsWith(".json")) {
      const whole = await askWhole(text, { provider });
      expect(whole.usage).toEqual(usage);
      expect(tell([whole.completion])).toEqual(expected);
    }
    // A host that ignores `stream` answers whole: its answer is replayed as a stream.
    const stream = await askStream(name.endsWith(".json") ? json(200, text) : events(text), { provider });
    const records = await collect(stream);
    expectRules(records);
    expect(stream.tally.usage).toEqual(usage);
    expect(tell(records)).toEqual(expected);
  });

  const streams = Object.keys(answers).filter((name) => name.endsWith(".sse"));
  test.runIf(streams.length > 0).each(streams)("%s: the same records when every byte comes alone", async (name) => {
    const times = { clock: () => new Date(1_790_000_000_000) };
    const ids = (records: any[]) => JSON.stringify(records).replace(/call_[0-9a-f]{24}|chatcmpl-[0-9a-f]{32}/g, "id");
    const whole = await collect(await askStream(textOf(name), { times }));
    expect(ids(await collect(await askStream(slowly(textOf(name)), { times })))).toBe(ids(whole));
  });

  test.runIf(Object.keys(faults).length > 0).each(Object.keys(faults))(
    "%s: its fault, and the sentence that may be shown",
    async (name) => {
      const { fault, reason, param = null, after } = faults[name]!;
      const status = Number(/^error-(\d{3})/.exec(name)?.[1] ?? 200);
      const answer = name.endsWith(".sse") ? events(textOf(name)) : json(status, textOf(name));
      if (after !== undefined) {
        const records: any[] = [];
        const stream = await askStream(answer);
        const broken = stream.forEach(({ json: record }) => void records.push(JSON.parse(record)));
        expect((await expectFault(broken, fault)).reason).toBe(reason);
        expect(tell(records).content).toBe(after);
        return;
      }
      const server = await startHost(answer);
      for (const stream of name.endsWith(".sse") ? [true] : [false, true])
        expect(await expectFault(ask(server, { stream }), fault)).toMatchObject({ reason, param });
    },
  );
});

function slowly(text: string): Answer {
  const bytes = Buffer.from(text);
  return (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.socket!.setNoDelay(true);
    let at = 0;
    const pump = () => {
      for (const end = Math.min(at + 40, bytes.length); at < end; at += 1) response.write(bytes.subarray(at, at + 1));
      if (at < bytes.length) setImmediate(pump);
      else response.end();
    };
    pump();
  };
}
