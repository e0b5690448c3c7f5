// POST /v1/responses, log probabilities: chat's in the format of Responses, whole and streamed.
import { describe, expect, test } from "vitest";
import { chatWorld, hello, language } from "../chat/chat-gateway.ts";
import { eventsOf, respond } from "./responses-gateway.ts";
import { oneInThree } from "../../support/size.ts";

const world = chatWorld([
  language("demo/chat", ["chat"]),
  language("demo/silent", ["chat+sim-no-logprobs"]),
  language("demo/rejecting", ["chat+sim-reject-logprobs"]),
  language("demo/huge", ["huge+sim-big-1048576+sim-tokens-40"]),
]);
const included = { include: ["message.output_text.logprobs"] };

interface Entry {
  token: string;
  logprob: number;
  bytes: number[];
  top_logprobs: Entry[];
}

/** Those of the same question on /v1/chat/completions. */
async function chatEntries(model: string, top_logprobs: number): Promise<Entry[]> {
  const { json } = await world.chat(await world.account(), { model, messages: hello, logprobs: true, top_logprobs });
  return (json as { choices: { logprobs: { content: Entry[] } }[] }).choices[0]!.logprobs.content;
}

describe("200", () => {
  test.each([
    ["include alone", included, 0],
    ["top_logprobs alone", { top_logprobs: 2 }, 2],
    ["both", { ...included, top_logprobs: 3 }, 3],
  ])("%s: the text carries what chat says of each token, whole and streamed", async (_, asked, top) => {
    const account = await world.account();
    const expected = await chatEntries("demo/chat", top);
    expect(expected.length).toBeGreaterThan(3);
    const { json } = await respond(world, account, { model: "demo/chat", ...asked });
    const [part] = json.output[0].content;
    expect(part.logprobs).toEqual(expected);
    expect(part.logprobs.map(({ token }: Entry) => token).join("")).toBe(part.text);
    expect(part.logprobs.every((entry: Entry) => entry.top_logprobs.length === top)).toBe(true);
    expect(json.top_logprobs).toBe(top);

    const events = eventsOf(await respond(world, account, { model: "demo/chat", ...asked, stream: true }));
    const of = (type: string) => events.filter((event) => event.type === type);
    expect(of("response.output_text.delta").flatMap(({ logprobs }) => logprobs)).toEqual(expected);
    expect(of("response.output_text.done")[0].logprobs).toEqual(expected);
    expect(of("response.content_part.added")[0].part.logprobs).toEqual([]);
    expect(of("response.content_part.done")[0].part.logprobs).toEqual(expected);
    expect(events.at(-1).response).toMatchObject({ top_logprobs: top, output: [{ content: [{ logprobs: expected }] }] });
  });

  test.each([[{}], [{ top_logprobs: 0 }], [{ include: ["reasoning.encrypted_content"] }], [{ include: null }]])(
    "%j asks for none: none is asked of the host, none comes",
    async (body) => {
      const { json } = await respond(world, await world.account(), { model: "demo/chat", ...body });
      expect(json).toMatchObject({ top_logprobs: 0, output: [{ content: [{ logprobs: [] }] }] });
      for (const name of ["logprobs", "top_logprobs"]) expect(world.sent()[0]).not.toHaveProperty(name);
    },
  );

  test("a host that gives none: the list is empty", async () => {
    const { json } = await respond(world, await world.account(), { model: "demo/silent", ...included });
    expect(json.output[0].content[0].logprobs).toEqual([]);
  });
});

test.each([
  [included, "include"],
  [{ top_logprobs: 2 }, "top_logprobs"],
])("400 request_rejected: %j of a host that refuses them is blamed as %s, and nothing is charged", async (asked, param) => {
  const account = await world.account();
  const { status, json } = await respond(world, account, { model: "demo/rejecting", ...asked });
  expect([status, json.error.code, json.error.param]).toEqual([400, "request_rejected", param]);
  await world.expectUntouched(account);
});

test("400 invalid_parameter: more than 20 alternatives", async () => {
  const { status, json } = await respond(world, await world.account(), { model: "demo/chat", top_logprobs: 21 });
  expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "top_logprobs"]);
});

oneInThree()(
  "a stream that becomes larger than an answer may be ends, is paid for as received, and its route is not to blame",
  async () => {
    // As 20 alternatives of each token make of an answer that is a fiftieth of this.
    const account = await world.account();
    const reply = await respond(world, account, { model: "demo/huge", stream: true });
    expect(reply.text.includes("event: response.failed")).toBe(true); // the text itself would fill the report
    const row = (await world.logOf(reply))!;
    expect(row).toMatchObject({ status: "aborted", http_status: 499, error_code: null });
    expect(row.cost).toBeGreaterThan(0n);
    expect(world.gateway.context.breakers.failing()).toEqual([]);
  },
);
