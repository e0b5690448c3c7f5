// Answers and errors of Bedrock as they are published, and what callers and the bill get of them.
import { EventStreamCodec } from "@smithy/core/event-streams";
import { runCorpus } from "../corpus.ts";
import type { Answer } from "../upstream-fixture.ts";
import { wholes } from "./corpus.ts";
import { faults } from "./corpus-faults.ts";
import type { BedrockRow, Event } from "./corpus-row.ts";
import { streams } from "./corpus-streams.ts";

const codec = new EventStreamCodec((bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"), (text) => Buffer.from(text)); // prettier-ignore

function frame([type, body]: Event): Buffer {
  const { code, message } = body as { code?: string; message?: string };
  const named: Record<string, string> =
    type === "error"
      ? { ":message-type": "error", ":error-code": code!, ":error-message": message! }
      : type.endsWith("Exception")
        ? { ":exception-type": type, ":content-type": "application/json", ":message-type": "exception" }
        : { ":event-type": type, ":content-type": "application/json", ":message-type": "event" };
  const headers = Object.fromEntries(Object.entries(named).map(([name, value]) => [name, { type: "string" as const, value }]));
  return Buffer.from(codec.encode({ headers, body: type === "error" ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body)) }));
}

function answerOf({ answer, events, harm = (bytes) => bytes, status = 200, headers = {} }: BedrockRow): Answer {
  return (_request, response) => {
    const type = events === undefined ? "application/json" : "application/vnd.amazon.eventstream";
    response.writeHead(status, { "content-type": type, ...headers });
    response.end(events === undefined ? JSON.stringify(answer) : harm(Buffer.concat(events.map(frame))));
  };
}

runCorpus<BedrockRow>({
  protocol: "bedrock",
  rows: [...wholes, ...streams, ...faults],
  isStream: ({ events }) => events !== undefined,
  answerOf,
  usageOf: ({ usage, hour, tier }) => {
    if (usage == null) return null;
    const [input, cacheRead, cacheWrite, output] = usage;
    const more = { ...(hour === undefined ? {} : { cacheWriteHour: hour }), ...(tier === undefined ? {} : { serviceTier: tier }) };
    return { input, cacheRead, cacheWrite, output, ...more };
  },
});
