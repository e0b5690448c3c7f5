// Streams of hosts with habits of their own (docs/behaviour/providers.md#hosts), as raw bytes, for odd-hosts.test.ts: what no simulator
// of a well-behaved host would say. All of them mean "Hello, sea!" or one call of get_weather.
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

const head = { id: "chatcmpl-odd", object: "chat.completion.chunk", created: 1_790_000_000, model: "odd" };
const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };

function chunk(choices: unknown, more: object = {}): string {
  return `data: ${JSON.stringify({ ...head, choices, ...more })}\n\n`;
}
function delta(value: unknown, finish_reason: unknown = null, more: object = {}): string {
  return chunk([{ index: 0, delta: value, finish_reason, ...more }]);
}
const role = delta({ role: "assistant", content: "" });
const hello = delta({ content: "Hello, " });
const sea = delta({ content: "sea!" });
const stop = delta({}, "stop");
const counted = chunk([], { usage });
const done = "data: [DONE]\n\n";
const call = (value: object, finish: string | null = null) => delta({ tool_calls: [value] }, finish);
const named = { id: "call_1", type: "function", function: { name: "get_weather", arguments: "" } };
const city = '{"city":"Rome"}';

export const texts: Record<string, string> = {
  "filter results before the first choice":
    chunk([], { prompt_filter_results: [{ prompt_index: 0 }] }) + role + hello + sea + stop + counted + done,
  "the role on every delta": ["Hello, ", "sea!"].map((content) => delta({ role: "assistant", content })).join("") + stop + counted + done,
  "no role at all": hello + sea + stop + counted + done,
  "the last words beside the finish": role + hello + delta({ content: "sea!" }, "stop") + counted + done,
  "null content beside the finish":
    role + hello + sea + delta({ role: "assistant", content: null, tool_calls: null, refusal: null }, "stop") + counted + done,
  "no delta in the last choice": role + hello + sea + chunk([{ index: 0, finish_reason: "stop" }]) + counted + done,
  "no finish reason before the end": role + hello + sea + counted + done,
  "the finish told twice":
    role + hello + sea + stop + chunk([{ index: 0, delta: { content: "" }, finish_reason: "stop" }], { usage }) + done,
  "error: null in every chunk":
    chunk([{ index: 0, delta: { role: "assistant", content: "Hello, sea!" }, finish_reason: null }], { error: null }) +
    stop +
    counted +
    done,
  "no ids, no time, no object":
    ["Hello, ", "sea!"].map((content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`).join("") +
    stop +
    counted +
    done,
  "an id that changes":
    role +
    hello +
    chunk([{ index: 0, delta: { content: "sea!" }, finish_reason: null }], { id: "chatcmpl-other", created: 5 }) +
    stop +
    counted +
    done,
  "no space after data, and event names": (role + hello + sea + stop + counted).replaceAll("data: ", "event: message\ndata:") + done,
  "empty records and blank comments": `:\n\n${role}data: \n\n${hello}: OPENROUTER PROCESSING\n\n${sea}\n\n\n${stop}${counted}${done}`,
  "a last record without its blank line": role + hello + sea + stop + counted.trimEnd(),
  "carriage returns alone": (role + hello + sea + stop + counted + done).replaceAll("\n", "\r"),
  "padding in every chunk":
    [role, hello, sea, stop, counted].map((text) => text.replace(/\}\n\n$/, ',"obfuscation":"a1b2"}\n\n')).join("") + done,
  "content as parts":
    delta({ role: "assistant", content: [{ type: "text", text: "Hello, " }] }) +
    delta({ content: [{ type: "text", text: "sea!" }] }) +
    stop +
    counted +
    done,
  "usage in x_groq": role + hello + sea + chunk([{ index: 0, delta: {}, finish_reason: "stop" }], { x_groq: { id: "req", usage } }) + done,
  "legacy log probabilities":
    role +
    delta({ content: "Hello, " }, null, { logprobs: -0.5 }) +
    delta({ content: "sea!" }, null, { logprobs: -0.25 }) +
    stop +
    counted +
    done,
  "a stop reason of its own": role + hello + sea + delta({}, "stop", { stop_reason: 2, matched_stop: null }) + counted + done,
  "a whole answer, unasked": JSON.stringify({
    ...head,
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: "Hello, sea!" }, finish_reason: "stop" }],
    usage,
  }),
};

export const calls: Record<string, string> = {
  "null names and types in later deltas":
    role +
    call({ index: 0, ...named }) +
    call({ index: 0, id: null, type: null, function: { name: null, arguments: city } }) +
    delta({}, "tool_calls") +
    counted +
    done,
  "empty names and ids in later deltas":
    role +
    call({ index: 0, ...named }) +
    call({ index: 0, id: "", type: "", function: { name: "", arguments: city } }) +
    delta({}, "tool_calls") +
    counted +
    done,
  "no type and no index":
    role + call({ id: "call_1", function: { name: "get_weather", arguments: city } }) + delta({}, "tool_calls") + counted + done,
  "no id":
    role +
    call({ index: 0, function: { name: "get_weather" } }) +
    call({ index: 0, function: { arguments: city } }) +
    delta({}, "tool_calls") +
    counted +
    done,
  "an empty id":
    role +
    call({ index: 0, id: "", type: "function", function: { name: "get_weather", arguments: city } }) +
    delta({}, "tool_calls") +
    counted +
    done,
  "null arguments first":
    role +
    call({ index: 0, ...named, function: { name: "get_weather", arguments: null } }) +
    call({ index: 0, function: { arguments: city } }) +
    delta({}, "tool_calls") +
    counted +
    done,
  "arguments as an object":
    role +
    call({ index: 0, ...named, function: { name: "get_weather", arguments: { city: "Rome" } } }) +
    delta({}, "tool_calls") +
    counted +
    done,
  "the name repeated":
    role +
    call({ index: 0, ...named }) +
    call({ index: 0, ...named, function: { name: "get_weather", arguments: city } }) +
    delta({}, "tool_calls") +
    counted +
    done,
  "finish reason stop":
    role + call({ index: 0, ...named, function: { name: "get_weather", arguments: city } }) + delta({}, "stop") + counted + done,
  "a call beside the finish":
    role + call({ index: 0, ...named, function: { name: "get_weather", arguments: city } }, "tool_calls") + counted + done,
  "an index beyond what the OpenAI helper takes":
    role + call({ index: 500, ...named }) + call({ index: 500, function: { arguments: city } }) + delta({}, "tool_calls") + counted + done,
  "an index that begins at one":
    role + call({ index: 1, ...named }) + call({ index: 1, function: { arguments: city } }) + delta({}, "tool_calls") + counted + done,
};

export interface OddHost {
  server: Server;
  url: string;
}

/** Answers with the text that the request's model id names. */
export async function startOddHost(): Promise<OddHost> {
  const pieces = { ...texts, ...calls };
  const server = createServer((request, response) => {
    void modelOf(request).then((model) => {
      const text = pieces[model] ?? "";
      response.writeHead(200, { "content-type": text.startsWith("{") ? "application/json" : "text/event-stream" }).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

async function modelOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const piece of request.setEncoding("utf8")) body += piece as string;
  return (JSON.parse(body) as { model: string }).model;
}
