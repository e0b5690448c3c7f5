// The simulated Bedrock against Amazon's own description of the service: whole answers, every record of a stream, and its frames, which
// Amazon's own decoder reads.
import { EventStreamCodec } from "@smithy/core/event-streams";
import { expect, test } from "vitest";
import { planConverse } from "../../src/simulator/bedrock/bedrock.ts";
import { frameOf } from "../../src/simulator/bedrock/answer.ts";
import type { StreamReply, WholeReply } from "../../src/simulator/protocol.ts";
import { shapeFaults } from "../providers/bedrock/service-model.ts";

const hello = (text: string) => ({ messages: [{ role: "user", content: [{ text }] }], inferenceConfig: { maxTokens: 4000 } });
const toolSpec = { name: "get_tides", inputSchema: { json: { type: "object", properties: { place: { type: "string" } } } } };
const requests: [string, string, object][] = [
  ["a text", "demo", hello("Hello")],
  ["a tool's call", "demo", { ...hello("use get_tides please"), toolConfig: { tools: [{ toolSpec }] } }],
  [
    "thinking",
    "demo+sim-redacted",
    { ...hello("Hello"), additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 1024 } } },
  ],
  ["the cache", "demo+sim-prompt-tokens-90+sim-cached-40+sim-cache-write-10", hello("Hello")],
  ["a filtered answer", "demo+sim-finish-filtered", hello("Hello")],
  ["a stop sequence", "demo", { ...hello("Hello"), additionalModelResponseFieldPaths: ["/stop_sequence"] }],
];

test.each(requests)("%s: whole and streamed, the answer has the form of the service's description", (_, model, request) => {
  expect(shapeFaults("ConverseRequest", { modelId: "demo", ...request })).toEqual([]);
  const body = Buffer.from(JSON.stringify(request));
  const whole = planConverse(body, model, false).reply as WholeReply;
  expect(shapeFaults("ConverseResponse", JSON.parse(whole.body.toString()))).toEqual([]);
  const { records, terminator } = planConverse(body, model, true).reply as StreamReply;
  const all = [...records(), terminator!];
  expect(all.flatMap((record) => shapeFaults("ConverseStreamOutput", JSON.parse(record)))).toEqual([]);
  expect(all.map((record) => Object.keys(JSON.parse(record))[0])).toEqual(
    expect.arrayContaining(["messageStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata"]),
  );
});

test("a record becomes a frame that Amazon's own decoder takes, and a byte more or other is found", () => {
  const codec = new EventStreamCodec(
    (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
    (text) => Buffer.from(text),
  );
  const frame = frameOf('{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"Grüße"}}}');
  const { headers, body } = codec.decode(frame);
  expect(headers[":event-type"]?.value).toBe("contentBlockDelta");
  expect(JSON.parse(Buffer.from(body).toString())).toEqual({ contentBlockIndex: 0, delta: { text: "Grüße" } });
  const damaged = Buffer.from(frame);
  damaged[40]! ^= 1;
  expect(() => codec.decode(damaged)).toThrow("checksum");
  expect(codec.decode(frameOf('{"message":"It stopped."}')).headers[":exception-type"]?.value).toBe("modelStreamErrorException");
});
