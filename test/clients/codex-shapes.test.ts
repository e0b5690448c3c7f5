// Codex CLI by the shapes of its requests (codex-requests.ts), and by what it reads of the answers: items that are done, the thinking's
// deltas, response.completed with its usage, response.failed.
import { describe, expect, test } from "vitest";
import { eventsOf } from "../operations/responses/responses-gateway.ts";
import { firstTurn, headers, knownModel, secondTurn, withImage } from "./codex-requests.ts";
import { useClients } from "./clients.ts";

const clients = useClients();

/** The items that Codex keeps, the usage that it shows. */
async function codex(body: object) {
  const { account } = await clients.customer();
  const reply = await clients.gateway.request("POST", "/v1/responses", { key: account.key, headers, body });
  expect(reply.status).toBe(200);
  const events = eventsOf(reply);
  const items = events.flatMap(({ type, item }) => (type === "response.output_item.done" ? [item] : []));
  return { events, items, sent: clients.gateway.simulator.calls().at(-1)!.json as Record<string, any> };
}

describe("the turns of a task", () => {
  test("the first calls tools side by side, those of namespaces as well; web_search is not offered", async () => {
    const { items, events, sent } = await codex({ model: "think/plain", ...firstTurn });
    expect(items).toMatchObject([
      { type: "reasoning", summary: [{ type: "summary_text" }] },
      { type: "function_call", name: "exec_command" },
      { type: "function_call", name: "close_agent", namespace: "multi_agent_v1" },
      { type: "function_call", name: "get_goal" },
    ]);
    expect(events.some(({ type }) => type === "response.reasoning_summary_text.delta")).toBe(true);
    const { type, response } = events.at(-1);
    expect(type).toBe("response.completed");
    expect(response.usage).toMatchObject({ input_tokens_details: {}, output_tokens_details: {}, total_tokens: expect.any(Number) });
    const names = sent.tools.map((offered: { function: { name: string } }) => offered.function.name);
    expect(names).toEqual(["exec_command", "view_image", "multi_agent_v1__close_agent", "get_goal"]);
    expect(sent.messages.map(({ role }: { role: string }) => role)).toEqual(["system", "user", "user"]);
    for (const own of ["client_metadata", "prompt_cache_key", "include", "store"]) expect(sent).not.toHaveProperty(own);
  });

  test("the second carries thinking, calls and results back, and ends in words", async () => {
    const first = await codex({ model: "think/plain", ...firstTurn });
    const { items, sent } = await codex({ model: "think/plain", ...secondTurn(first.items) });
    expect(items.at(-1)).toMatchObject({ type: "message", status: "completed", content: [{ type: "output_text" }] });
    const turn = sent.messages.at(-4);
    expect(turn).toMatchObject({ role: "assistant", reasoning_content: first.items[0].summary[0].text });
    expect(turn.tool_calls.map(({ function: called }: { function: { name: string } }) => called.name)).toEqual([
      "exec_command",
      "multi_agent_v1__close_agent",
      "get_goal",
    ]);
    expect(sent.messages.slice(-3)).toMatchObject([{ role: "tool" }, { role: "tool" }, { role: "tool" }]);
  });

  test("an image and a schema for the last answer", async () => {
    // The simulator takes "image" for a wish to call view_image.
    const { items, sent } = await codex({ model: "see/plain", ...withImage, tool_choice: "none" });
    expect(JSON.parse(items[0].content[0].text)).toEqual({ answer: expect.any(String) });
    expect(sent.messages.at(-1).content.map(({ type }: { type: string }) => type)).toEqual(["text", "image_url", "text", "text"]);
  });

  test("tools among the items: a custom one in a namespace is called with its text", async () => {
    const { items } = await codex({ model: "think/plain", ...knownModel });
    expect(items.at(-1)).toMatchObject({ type: "custom_tool_call", name: "exec", namespace: "functions", input: expect.any(String) });
  });
});

test("a stream that broke ends in response.failed with a code that Codex retries on", async () => {
  const { events } = await codex({ model: "broken/cut", ...firstTurn, input: "Hi" });
  expect(events.at(-1)).toMatchObject({ type: "response.failed", response: { error: { code: "stream_interrupted" } } });
});
