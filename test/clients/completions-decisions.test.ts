// The openai client on /v1/completions and on its own form of a decision; the AI SDK's decide over /v1/decisions and /v1/systemone.
import { experimental_decide } from "ai";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { decisions, parcel } from "../operations/decisions/decisions.ts";
import { language, provider } from "../operations/chat/chat-gateway.ts";
import { highTiers } from "../support/tiers.ts";
import { costIn, type Customer, useClients } from "./clients.ts";

const clients = useClients(
  JSON.stringify({
    providers: ["north", "south"].map((id) => provider(id)),
    models: [
      language("plain/chat", ["plain"]),
      language("plain/base", [{ model: "base", completions: true }]),
      language("broken/cut", ["cut+sim-cut-after-6"]),
      decisions(["decide"]),
    ],
    tiers: highTiers(),
  }),
);

const ask = { model: "plain/chat", prompt: "Once upon a time", max_tokens: 12 };

describe("openai completions.create", () => {
  test("a whole answer", async () => {
    const customer = await clients.customer();
    const { data, response } = await customer
      .openai()
      .completions.create({ ...ask, echo: true })
      .withResponse();
    expect(data.object).toBe("text_completion");
    expect(data.choices[0]!.text).toMatch(/^Once upon a timeYou said/);
    expect(data.usage!.total_tokens).toBe(data.usage!.prompt_tokens + data.usage!.completion_tokens);
    expect(response.headers.get("deprecation")).toBe("true");
    expect(await customer.spent()).toBe(costIn(data.usage));
  });

  test("a stream says the same, with its usage last", async () => {
    const customer = await clients.customer();
    const client = customer.openai();
    const whole = await client.completions.create(ask);
    const chunks: OpenAI.Completion[] = [];
    const stream = await client.completions.create({ ...ask, stream: true, stream_options: { include_usage: true } });
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.flatMap(({ choices }) => choices.map(({ text }) => text)).join("")).toBe(whole.choices[0]!.text);
    expect(chunks.at(-2)!.choices[0]!.finish_reason).toBe("length");
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
  });

  test("a stream that breaks is an APIError with the code that says to try again", async () => {
    const customer = await clients.customer();
    const stream = await customer.openai().completions.create({ ...ask, model: "broken/cut", stream: true });
    const broken = (async () => {
      for await (const { choices } of stream) expect(choices).toHaveLength(1);
    })();
    await expect(broken).rejects.toMatchObject({ code: "stream_interrupted", type: "upstream_error" });
    expect(await customer.spent()).toBe(0);
  });

  test("n: so many choices; what a model's routes can't do is refused, never left out", async () => {
    const client = (await clients.customer()).openai();
    expect((await client.completions.create({ ...ask, n: 2 })).choices.map(({ index }) => index)).toEqual([0, 1]);
    for (const [param, more] of Object.entries({ suffix: { suffix: "The end" }, best_of: { best_of: 2 } }))
      await expect(client.completions.create({ ...ask, ...more })).rejects.toMatchObject({ status: 400, code: "invalid_parameter", param });
  });

  test("log probabilities, from a chat and from completions", async () => {
    const client = (await clients.customer()).openai();
    for (const model of ["plain/chat", "plain/base"]) {
      const { choices } = await client.completions.create({ ...ask, model, logprobs: 2 });
      const { tokens, token_logprobs, top_logprobs, text_offset } = choices[0]!.logprobs!;
      expect(tokens!.join("")).toBe(choices[0]!.text);
      expect([token_logprobs!.length, top_logprobs!.length, text_offset!.length]).toEqual([12, 12, 12]);
    }
  });

  test("several prompts, whole and streamed, at a model that has completions of its own", async () => {
    const customer = await clients.customer();
    const client = customer.openai();
    const several = { ...ask, model: "plain/base", prompt: ["one", "two"], echo: true };
    const whole = await client.completions.create(several);
    expect(whole.choices.map(({ text }) => text.slice(0, 3))).toEqual(["one", "two"]);
    expect(await customer.spent()).toBe(costIn(whole.usage));
    const texts: string[] = [];
    for await (const { choices } of await client.completions.create({ ...several, stream: true }))
      for (const { index, text } of choices) texts[index] = (texts[index] ?? "") + text;
    expect(texts).toEqual(whole.choices.map(({ text }) => text));
  });

  test("several prompts: the message names the endpoint to use", async () => {
    const client = (await clients.customer()).openai();
    const refused = client.completions.create({ ...ask, prompt: ["one", "two"] });
    await expect(refused).rejects.toThrow(OpenAI.BadRequestError);
    await expect(refused).rejects.toThrow(/POST \/v1\/chat\/completions/);
  });
});

test("openai decisions.create has another form: 400 on questions, with a sentence about the form that is taken", async () => {
  const client = (await clients.customer()).openai();
  const refused = client.decisions.create({
    model: "jev",
    input: parcel.state,
    questions: [{ type: "choice", name: "next_step", choices: ["refund", "resend"] }],
  } as unknown as OpenAI.DecisionCreateParams);
  await expect(refused).rejects.toMatchObject({ status: 400, code: "invalid_parameter", param: "questions" });
  await expect(refused).rejects.toThrow(/questions is an object of 1 to 1000 questions, each id with its \{type, instructions, criteria\}/);
});

type DecisionModel = Exclude<Parameters<typeof experimental_decide>[0]["model"], string>;

/** No installed provider of the AI SDK lets its address be chosen, so this one does what those do: it sends parts, and gives back what came. */
function decisionModel({ account }: Customer, path: string): DecisionModel {
  return {
    specificationVersion: "v4",
    provider: "svc",
    modelId: "jev",
    supportedQuestionTypes: ["choice"],
    async doDecide({ state, questions }) {
      const response = await fetch(`${clients.gateway.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "jev", state, questions }),
      });
      expect(response.status).toBe(200);
      const { answers, usage } = (await response.json()) as any;
      return { answers, usage: { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens }, warnings: [] };
    },
  };
}

test.each(["/v1/decisions", "/v1/systemone"])(
  "the AI SDK's decide takes the answers of %s: type, choice, a distribution that sums to 1",
  async (path) => {
    const customer = await clients.customer();
    const { answers, usage } = await experimental_decide({
      model: decisionModel(customer, path),
      state: parcel.state,
      questions: {
        next_step: {
          type: "choice",
          instructions: "What should support do?",
          criteria: { refund: "Give the money back.", resend: null, ask: null },
        },
        urgent: { type: "choice", criteria: { yes: null, no: null } },
      },
    });
    expect(answers.next_step.choice).toBe("refund");
    expect(Object.keys(answers.next_step.probabilities!)).toEqual(["refund", "resend", "ask"]);
    expect(["yes", "no"]).toContain(answers.urgent.choice);
    expect(usage).toMatchObject({ outputTokens: 2 });
    expect(await customer.spent()).toBe(0.0001);
  },
);
