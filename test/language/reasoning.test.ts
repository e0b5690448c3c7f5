// Reasoning controls as a table: what was sent, what goes upstream.
import { describe, expect, test } from "vitest";
import { reasoningEdits } from "../../src/language/chat/upstream-body.ts";

type Body = Parameters<typeof reasoningEdits>[0];
const supports = { tools: true, structuredOutputs: true, reasoning: true, vision: true, caching: true };
const thinks = { supports, reasoningAlwaysOn: false };
const alwaysThinks = { supports, reasoningAlwaysOn: true };
const neverThinks = { supports: { ...supports, reasoning: false }, reasoningAlwaysOn: false };

/** The body as it goes upstream, only its reasoning fields. */
function sent(body: Body, model: typeof thinks, cap: number | null) {
  const result: Record<string, unknown> = { ...body };
  for (const [key, text] of Object.entries(reasoningEdits(body, model, cap))) {
    if (text === null) delete result[key];
    else result[key] = JSON.parse(text);
  }
  return result;
}

describe("reasoning", () => {
  test.each<[string, typeof thinks, number | null, Body, Record<string, unknown>]>([
    ["an effort goes as sent", thinks, null, { reasoning_effort: "xhigh" }, { reasoning_effort: "xhigh" }],
    ["none stays none where thinking can be switched off", thinks, null, { reasoning_effort: "none" }, { reasoning_effort: "none" }],
    ["none runs at low where it can't", alwaysThinks, null, { reasoning_effort: "none" }, { reasoning_effort: "low" }],
    ["minimal runs at low where it can't", alwaysThinks, null, { reasoning: { effort: "minimal" } }, { reasoning: { effort: "low" } }],
    ["high stays high", alwaysThinks, null, { reasoning_effort: "high" }, { reasoning_effort: "high" }],
    [
      "a budget wins over both efforts",
      thinks,
      1000,
      { reasoning_effort: "low", reasoning: { effort: "high", max_tokens: 200 } },
      { reasoning: { max_tokens: 200 } },
    ],
    [
      "the object's effort wins over the plain one",
      thinks,
      null,
      { reasoning_effort: "low", reasoning: { effort: "high" } },
      { reasoning: { effort: "high" } },
    ],
    ["a budget is lowered to one below the cap", thinks, 100, { reasoning: { max_tokens: 100 } }, { reasoning: { max_tokens: 99 } }],
    ["a budget below the cap stays", thinks, 100, { reasoning: { max_tokens: 50 } }, { reasoning: { max_tokens: 50 } }],
    ["without a cap there is nothing to lower", thinks, null, { reasoning: { max_tokens: 5000 } }, { reasoning: { max_tokens: 5000 } }],
    ["a cap of 1 leaves no budget", thinks, 1, { reasoning: { max_tokens: 10 } }, {}],
    [
      "other keys of the object stay",
      thinks,
      10,
      { reasoning: { max_tokens: 10, exclude: true } as Body["reasoning"] },
      { reasoning: { max_tokens: 9, exclude: true } },
    ],
    ["all is dropped for models without reasoning", neverThinks, 10, { reasoning_effort: "low", reasoning: { max_tokens: 5 } }, {}],
    ["nothing sent, nothing changed", alwaysThinks, 10, {}, {}],
    ["nulls stay", thinks, 10, { reasoning_effort: null }, { reasoning_effort: null }],
  ])("%s", (_title, model, cap, body, expected) => {
    expect(sent(body, model, cap)).toEqual(expected);
  });
});
