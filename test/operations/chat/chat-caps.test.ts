// Output caps in every dialect: whichever cap goes upstream, to whichever model, no answer costs more than was held for it.
import { describe, expect, test } from "vitest";
import type { TestReply } from "../../support/gateway.ts";
import { chatWorld, hello, language, provider } from "./chat-gateway.ts";

/** 100 USD per million output tokens, input for nothing: n tokens cost n x 0.0001 USD. */
const pricing = { mode: "per-token", input: 0, output: 100 };

const limited = { max_output_tokens: 4000, gateway_output_limit: 200, pricing };
const quay = (model: string) => [{ provider: "quay", model }];

const world = chatWorld(
  [
    language("demo/short", ["chat+sim-tokens-3000"], { max_output_tokens: 1000, pricing }),
    language("demo/small", ["sim-fail-500"], { max_output_tokens: 100, pricing, fallbacks: ["demo/large"] }),
    language("demo/large", ["chat+sim-tokens-3000"], { max_output_tokens: 4000, pricing }),
    language("demo/wordy", ["sim-fail-500"], { max_output_tokens: 4000, pricing, fallbacks: ["demo/terse"] }),
    language("demo/terse", ["chat+sim-tokens-3000"], { max_output_tokens: 50, pricing }),
    language("demo/flat", ["chat+sim-hang"], { pricing: { mode: "per-token", input: 0, output: 0, per_request: 0.01 } }),
    language("demo/limited", ["chat+sim-tokens-3000"], limited),
    language("demo/limited-claude", quay("chat+sim-tokens-3000"), limited),
    language("demo/to-limited", ["sim-fail-500"], { max_output_tokens: 200, pricing, fallbacks: ["demo/limited"] }),
  ],
  {
    providers: [
      ...["north", "south", "west"].map((id) => provider(id)),
      provider("quay", { protocol: "anthropic", base_url: "simulator:/anthropic/v1" }),
    ],
  },
);

const balanceAfter = async (deposit: string, body: object) => {
  const account = await world.account({ deposit });
  const reply = await world.chat(account, body);
  return { reply, balance: (await world.gateway.balance(account)).balance, sent: world.sent().at(-1)! };
};

describe("200", () => {
  test("max_tokens above the model's own maximum are reserved for as asked, and lowered to what can be paid", async () => {
    const { reply, balance, sent } = await balanceAfter("0.15", { model: "demo/short", max_tokens: 6000 });
    expect(reply.headers["x-svc-max-tokens-clamped"]).toBe("1500");
    expect(sent.max_tokens).toBe(1500);
    expect(reply.json.usage.completion_tokens).toBe(1500);
    expect(balance).toBe(0);
  });

  test("a fallback that would write more by itself is held to what the requested model was reserved for", async () => {
    const { reply, balance, sent } = await balanceAfter("0.02", { model: "demo/small" });
    expect(reply.headers["x-svc-served-model"]).toBe("demo/large");
    expect(sent.max_tokens).toBe(100);
    expect(reply.json.usage.completion_tokens).toBe(100);
    expect(balance).toBe(0.01);
  });

  test("a fallback that takes less than was asked for is asked for what it takes", async () => {
    const { reply, sent } = await balanceAfter("5", { model: "demo/wordy", max_tokens: 3000 });
    expect(reply.headers["x-svc-served-model"]).toBe("demo/terse");
    expect(sent.max_tokens).toBe(50);
  });

  test("a fallback whose own maximum was reserved for gets no cap, since the caller sent none", async () => {
    const { reply, sent } = await balanceAfter("5", { model: "demo/wordy" });
    expect(reply.headers["x-svc-served-model"]).toBe("demo/terse");
    expect(sent).not.toHaveProperty("max_tokens");
  });
});

/** The same of every dialect: what is asked, where its cap stands, how many tokens the answer has. */
const dialects = ["/v1/chat/completions", "/v1/completions", "/v1/messages", "/v1/responses"] as const;

async function asked(path: (typeof dialects)[number], model: string, cap: number | null, deposit = "5"): Promise<TestReply> {
  const account = await world.account({ deposit });
  const said = path === "/v1/completions" ? { prompt: "Hello" } : path === "/v1/responses" ? { input: "Hello" } : { messages: hello };
  const named = cap === null ? {} : { [path === "/v1/responses" ? "max_output_tokens" : "max_tokens"]: cap };
  const reply = await world.gateway.request("POST", path, { key: account.key, body: { model, ...said, ...named } });
  expect(reply.status).toBe(200);
  return reply;
}

const outputOf = ({ json }: TestReply): number => json.usage.completion_tokens ?? json.usage.output_tokens;
const headersOf = ({ headers }: TestReply) => [headers["x-svc-max-tokens-clamped"], headers["x-svc-credits-have"]];

describe("a limit that the gateway sets", () => {
  test.each(["/v1/chat/completions", "/v1/completions", "/v1/responses"] as const)(
    "%s: goes upstream where the caller names no cap, so that no answer is longer than reserved for",
    async (path) => {
      for (const model of ["demo/limited", "demo/limited-claude", "demo/to-limited"]) {
        const reply = await asked(path, model, null);
        expect(world.sent().at(-1)).toMatchObject({ max_tokens: 200 });
        expect(outputOf(reply)).toBe(200);
        expect(reply.json.usage.cost).toBe(0.02);
        expect((await world.logOf(reply))!.reserved).toBe(2_000_000n);
        expect(headersOf(reply)).toEqual([undefined, undefined]);
      }
    },
  );

  test.each(dialects)("%s: a higher cap is lowered to it, and the headers say so; a lower one goes on as sent", async (path) => {
    for (const model of ["demo/limited", "demo/limited-claude"]) {
      const higher = await asked(path, model, 3000);
      expect(world.sent().at(-1)).toMatchObject({ max_tokens: 200 });
      expect(outputOf(higher)).toBe(200);
      expect((await world.logOf(higher))!.reserved).toBe(2_000_000n);
      expect(headersOf(higher)).toEqual(["200", "5"]);
      const lower = await asked(path, model, 150);
      expect(world.sent().at(-1)).toMatchObject({ max_tokens: 150 });
      expect(headersOf(lower)).toEqual([undefined, undefined]);
    }
  });

  test("is shared with what the balance pays: the lower one holds", async () => {
    const reply = await asked("/v1/chat/completions", "demo/limited", null, "0.01");
    expect(world.sent().at(-1)).toMatchObject({ max_tokens: 100 });
    expect(headersOf(reply)).toEqual(["100", "0.01"]);
  });

  test("holds for both names of a cap", async () => {
    await world.chat(await world.account(), { model: "demo/limited", max_tokens: 3000, max_completion_tokens: 2500 });
    expect(world.sent().at(-1)).toMatchObject({ max_tokens: 200, max_completion_tokens: 200 });
  });
});

describe("x-svc-max-tokens-clamped is the cap that was sent", () => {
  test.each(dialects)("%s: where a fallback writes less than the caller asked for", async (path) => {
    const reply = await asked(path, "demo/wordy", 3000);
    expect(world.sent().at(-1)).toMatchObject({ model: "chat+sim-tokens-3000", max_tokens: 50 });
    expect(headersOf(reply)).toEqual(["50", "5"]);
    expect(headersOf(await asked(path, "demo/wordy", 50))).toEqual([undefined, undefined]);
  });

  test.each(dialects)("%s: where a fallback writes less than the balance pays for", async (path) => {
    const reply = await asked(path, "demo/wordy", 3000, "0.1");
    expect(world.sent().at(-1)).toMatchObject({ max_tokens: 50 });
    expect(headersOf(reply)).toEqual(["50", "0.1"]);
  });

  test("and absent where a fallback's own maximum is all that limits a caller who set none", async () => {
    expect(headersOf(await asked("/v1/chat/completions", "demo/wordy", null))).toEqual([undefined, undefined]);
    expect(headersOf(await asked("/v1/chat/completions", "demo/small", null))).toEqual([undefined, undefined]);
  });

  test("also before the records of a stream", async () => {
    const reply = await world.chat(await world.account({ deposit: "5" }), { model: "demo/wordy", max_tokens: 3000, stream: true });
    expect(headersOf(reply)).toEqual(["50", "5"]);
  });
});

describe("402 insufficient_credits", () => {
  test("never names more tokens than the model writes, also where tokens cost nothing", async () => {
    const account = await world.account({ deposit: "0.01" });
    const leaving = new AbortController();
    const holding = world.gateway
      .request("POST", "/v1/chat/completions", {
        key: account.key,
        body: { model: "demo/flat", messages: hello, stream: true },
        signal: leaving.signal,
      })
      .catch(() => undefined);
    await expect.poll(async () => (await world.gateway.balance(account)).reserved).toBe(0.01);
    const reply = await world.chat(account, { model: "demo/flat" });
    leaving.abort();
    await holding;
    expect(reply.status).toBe(402);
    expect(reply.json.details).toMatchObject({ affordable_max_tokens: 0, affordable_max_tokens_when_released: 1000 });
    expect(reply.json.error.message).toContain("1000");
    await expect.poll(async () => (await world.gateway.balance(account)).reserved).toBe(0);
  });
});
