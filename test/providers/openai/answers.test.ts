// Answers and errors of OpenAI and of hosts that speak like it as they are published, and what callers and the bill get of them.
import { runCorpus } from "../corpus.ts";
import { events, json, sse } from "./chat-fixture.ts";
import { answers } from "./corpus.ts";
import { faults } from "./corpus-faults.ts";
import type { Row } from "./corpus-row.ts";

runCorpus<Row>({
  protocol: "openai",
  rows: [...answers, ...faults],
  isStream: ({ records }) => records !== undefined,
  answerOf: ({ answer, records, status = 200 }) =>
    records === undefined ? json(status, JSON.stringify(answer)) : events(sse(...records, "[DONE]")),
  usageOf: ({ usage }) => {
    if (usage == null) return null;
    const [input, cacheRead, cacheWrite, output, reasoning] = usage;
    return { input, cacheRead, cacheWrite, output, reasoning };
  },
});
