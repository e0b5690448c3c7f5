// Answers and errors of Anthropic's API as they are published, and what callers and the bill get of them.
import { runCorpus } from "../corpus.ts";
import { events, json } from "../openai/chat-fixture.ts";
import { wholes } from "./corpus.ts";
import { faults } from "./corpus-faults.ts";
import type { MessageRow } from "./corpus-row.ts";
import { streams } from "./corpus-streams.ts";
import { sse } from "./message-fixture.ts";

runCorpus<MessageRow>({
  protocol: "anthropic",
  rows: [...wholes, ...streams, ...faults],
  isStream: ({ events: list }) => list !== undefined,
  answerOf: ({ answer, events: list, status = 200, headers }) =>
    list === undefined ? json(status, JSON.stringify(answer), headers) : events(sse(...list)),
  usageOf: ({ usage, more }) => {
    if (usage == null) return null;
    const [input, cacheRead, cacheWrite, output] = usage;
    return { input, cacheRead, cacheWrite, output, ...more };
  },
});
