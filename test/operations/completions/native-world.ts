// The gateway of the tests of text completions at routes whose provider has completions of its own.
import { expect } from "vitest";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import { chatWorld, language, provider, recordsOf } from "../chat/chat-gateway.ts";

export const native = (model: string) => ({ model, completions: true });
const claude = { provider: "quay", model: "claude" };
export const nativeWorld = () =>
  chatWorld(
    [
      language("demo/base", [native("base")]),
      language("demo/either", ["first", native("second")]),
      language("demo/chat", ["chat"]),
      language("demo/falls", [native("first+sim-fail-503"), native("second")], { fallbacks: ["demo/chat", "demo/base"] }),
      language("demo/spare", [native("spare+sim-fail-503")], { fallbacks: ["demo/chat", "demo/base"] }),
      language("demo/uncounted", [native("base+sim-no-usage")]),
      language("demo/long", [native("base+sim-tokens-400+sim-pace-2ms")]),
      language("demo/cut", [native("base+sim-cut-after-5")]),
      language("demo/error", [native("base+sim-error-after-5")]),
      language("demo/open", [native("base+sim-no-done")]),
      language("demo/quiet", [native("base+sim-no-logprobs")]),
      language("demo/rejects", [native("base+sim-reject")]),
      language("demo/html", [native("base+sim-html")]),
      { ...language("demo/claude", []), routes: [claude] },
      { ...language("demo/mixed", []), routes: [claude, { provider: "south", model: "chat" }] },
    ],
    {
      providers: [
        ...["north", "south", "west"].map((id) => provider(id)),
        { id: "quay", protocol: "anthropic", base_url: "simulator:/anthropic" },
      ],
    },
  );

/** By default one prompt to a model that has completions of its own. */
export const completeAt =
  (world: ReturnType<typeof chatWorld>) =>
  (account: TestAccount, body: object): Promise<TestReply> =>
    world.gateway.request("POST", "/v1/completions", {
      key: account.key,
      body: { model: "demo/base", prompt: "Once upon a time", max_tokens: 12, ...body },
    });

/** What a stream said of each answer: texts joined, the lists of log probabilities joined. */
export function answersIn(reply: TestReply): { text: string; tokens: string[]; offsets: number[]; finish: string | null }[] {
  const answers: ReturnType<typeof answersIn> = [];
  for (const { choices } of recordsOf(reply).slice(0, -1)) {
    for (const { index, text, logprobs, finish_reason } of choices) {
      const answer = (answers[index] ??= { text: "", tokens: [], offsets: [], finish: null });
      expect(answer.finish).toBeNull();
      answer.text += text;
      answer.tokens.push(...(logprobs?.tokens ?? []));
      answer.offsets.push(...(logprobs?.text_offset ?? []));
      answer.finish = finish_reason;
    }
  }
  return answers;
}
