// Anthropic's own SDK against the gateway, in the generation of today and in the one before, which differ in how they send the key
// (docs/behaviour/messages.md#versions). The upstream speaks the OpenAI protocol.
import Anthropic from "@anthropic-ai/sdk";
import Anthropic0 from "anthropic-sdk-0";
import { describe, expect, test } from "vitest";
import { until } from "../support/eventually.ts";
import { costIn, costOf, type Customer, quiet, userMessage, useClients } from "./clients.ts";

const clients = useClients();

type Client = Pick<Anthropic, "messages" | "models">;
interface Generation {
  client(customer: Customer, options?: { baseURL?: string; maxRetries?: number; seen?: Request[] }): Client;
  errors: typeof Anthropic;
}

/** Notes what goes out. */
function notingFetch(seen: Request[] | undefined): typeof fetch {
  return (input, init) => {
    const request = new Request(input, init);
    seen?.push(request.clone() as Request);
    return fetch(request);
  };
}

const generations: [string, Generation][] = [
  [
    "1.x",
    {
      client: (customer, { seen, ...options } = {}) =>
        new Anthropic({ apiKey: customer.account.key, baseURL: clients.gateway.url, maxRetries: 0, fetch: notingFetch(seen), ...options }),
      errors: Anthropic,
    },
  ],
  [
    "0.x",
    {
      client: (customer, { seen, ...options } = {}) =>
        new Anthropic0({
          apiKey: customer.account.key,
          baseURL: clients.gateway.url,
          maxRetries: 0,
          fetch: notingFetch(seen),
          ...options,
        }) as unknown as Client,
      errors: Anthropic0 as unknown as typeof Anthropic,
    },
  ],
];

const weather = {
  name: "get_weather",
  description: "Says the weather of a city.",
  input_schema: { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] },
};

describe.each(generations)("SDK %s", (generation, { client, errors }) => {
  test("sends the key in its own way and its own version", async () => {
    const seen: Request[] = [];
    await client(await clients.customer(), { seen }).messages.create({ model: "best", max_tokens: 50, messages: userMessage("hello") });
    const [{ headers }] = seen as [Request];
    expect([headers.has("x-api-key"), headers.has("authorization"), headers.get("anthropic-version")]).toEqual(
      generation === "1.x" ? [false, true, "2026-10-21"] : [true, false, "2023-06-01"],
    );
  });

  test("create: the words, the resolved model, the request id, the charge", async () => {
    const customer = await clients.customer();
    const message = await client(customer).messages.create({
      model: "best",
      max_tokens: 500,
      messages: userMessage("Grüße an das Meer 🌊"),
    });
    expect(message).toMatchObject({ type: "message", role: "assistant", model: "plain/chat", stop_reason: "end_turn" });
    expect(message._request_id).toMatch(/^req_/);
    expect(message.content).toEqual([{ type: "text", text: expect.stringContaining("Grüße an das Meer 🌊") }]);
    const { input_tokens, output_tokens } = message.usage;
    expect(await customer.spent()).toBeCloseTo(costOf({ input: input_tokens, output: output_tokens }), 8);
    expect(message.usage).toMatchObject({ cost: await customer.spent() });
  });

  test("the stream helper says what the whole answer says, at the same price", async () => {
    const customer = await clients.customer();
    const { messages } = client(customer);
    const request = { model: "plain/chat", max_tokens: 500, messages: userMessage("hello") };
    const whole = await messages.create(request);
    const stream = messages.stream(request);
    let text = "";
    stream.on("text", (piece) => (text += piece));
    const final = await stream.finalMessage();
    expect(text).toBe(whole.content[0]!.type === "text" ? whole.content[0].text : "");
    expect({ ...final, id: "", _request_id: "" }).toMatchObject({ ...whole, id: "", _request_id: "", usage: {} });
    expect(final.usage).toMatchObject({ input_tokens: whole.usage.input_tokens, output_tokens: whole.usage.output_tokens });
    expect(await customer.spent()).toBeCloseTo(2 * costIn(whole.usage), 8); // the helper itself copies only what it knows of usage
    expect(stream.request_id).toMatch(/^req_/);
  });

  test("iteration gives every event by its name, indexes without gaps", async () => {
    const { messages } = client(await clients.customer());
    const types: string[] = [];
    for await (const event of await messages.create({
      model: "think/plain",
      max_tokens: 500,
      messages: userMessage("hello"),
      stream: true,
    }))
      types.push(event.type === "content_block_start" ? `${event.index} ${event.content_block.type}` : event.type);
    expect(types.filter((type) => !/delta|ping/.test(type))).toEqual([
      "message_start",
      "0 thinking",
      "content_block_stop",
      "1 text",
      "content_block_stop",
      "message_stop",
    ]);
  });

  test("thinking with a budget: a block before the text, whole and streamed", async () => {
    const { messages } = client(await clients.customer());
    const thinking = { type: "enabled" as const, budget_tokens: 1024 };
    const request = { model: "think/plain", max_tokens: 2048, thinking, messages: userMessage("hello") };
    const whole = await messages.create(request);
    expect(whole.content.map(({ type }) => type)).toEqual(["thinking", "text"]);
    const streamed = await messages.stream(request).finalMessage();
    expect(streamed.content).toEqual(whole.content);
    expect(streamed.usage.output_tokens).toBe(whole.usage.output_tokens);
  });

  test.each([["plain/chat"], ["tools/null-fields"], ["tools/no-index"], ["tools/whole-calls"]])(
    "tools of %s: the call, its result and the answer",
    async (model) => {
      const { messages } = client(await clients.customer());
      const request = {
        model,
        max_tokens: 500,
        tools: [weather],
        messages: userMessage("What is the weather in Kiel? use tool get_weather"),
      };
      const asked = await messages.stream(request).finalMessage();
      expect(asked.stop_reason).toBe("tool_use");
      const call = asked.content.find((block) => block.type === "tool_use")!;
      expect(call).toMatchObject({ name: "get_weather", input: { city: expect.any(String) } });
      const answer = await messages.create({
        ...request,
        messages: [
          ...request.messages,
          { role: "assistant", content: asked.content },
          { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "Rain." }] },
        ],
      });
      expect(answer.stop_reason).toBe("end_turn");
    },
  );

  test("countTokens costs nothing", async () => {
    const customer = await clients.customer();
    const { input_tokens } = await client(customer).messages.countTokens({
      model: "best",
      messages: userMessage("hello"),
      tools: [weather],
    });
    expect(input_tokens).toBeGreaterThan(20);
    expect(await customer.spent()).toBe(0);
  });

  test("models.list and models.retrieve", async () => {
    const { models } = client(await clients.customer());
    const rows = await Array.fromAsync(models.list({ limit: 1000 }));
    expect(rows.find(({ id }) => id === "plain/chat")).toMatchObject({ display_name: expect.any(String), created_at: expect.any(String) });
    expect(await models.retrieve("plain/chat")).toMatchObject({ id: "plain/chat" });
  });

  test("models.list pages by itself, forwards and backwards, and sees every model once", async () => {
    const seen: Request[] = [];
    const { models } = client(await clients.customer(), { seen });
    const whole = (await models.list()).data.map(({ id }) => id);
    const paged = await Array.fromAsync(models.list({ limit: 7 }));
    expect(paged.map(({ id }) => id)).toEqual(whole);
    expect(seen).toHaveLength(1 + Math.ceil(whole.length / 7));
    const page = await models.list({ limit: 2, before_id: whole[5]! });
    expect([page.data.map(({ id }) => id), page.hasNextPage()]).toEqual([whole.slice(3, 5), true]);
    expect((await page.getNextPage()).data.map(({ id }) => id)).toEqual(whole.slice(1, 3));
  });

  describe("errors are of its classes and carry ours", () => {
    const failing = async (model: string, more: object = {}, options: { baseURL?: string } = {}) => {
      const { messages } = client(await clients.customer(), options);
      const error: unknown = await messages
        .create({ model, max_tokens: 50, messages: userMessage("hello"), ...more })
        .catch((thrown: unknown) => thrown);
      return error as InstanceType<typeof Anthropic.APIError> & { error: any };
    };

    test.each([
      ["plain/none", 404, "NotFoundError", "not_found_error", "model_not_found"],
      ["vectors/small", 400, "BadRequestError", "invalid_request_error", "wrong_endpoint"],
      ["fail/rejects-422", 422, "UnprocessableEntityError", "invalid_request_error", "request_rejected"],
      ["fail/refuses", 403, "PermissionDeniedError", "permission_error", "route_refused"],
      ["fail/unreadable", 502, "InternalServerError", "api_error", "upstream_invalid_response"],
      ["fail/down", 503, "InternalServerError", "overloaded_error", "provider_unavailable"],
      ["fail/gone", 503, "InternalServerError", "api_error", "model_unavailable"],
    ] as const)("%s: %i %s", async (model, status, name, type, code) => {
      const error = await failing(model);
      expect(error).toBeInstanceOf(errors[name]);
      expect(error).toMatchObject({ status, requestID: expect.stringMatching(/^req_/), error: { type: "error", error: { type, code } } });
    });

    test("a bad key", async () => {
      const customer = await clients.customer();
      const stranger = { ...customer, account: { ...customer.account, key: "svc_wrong" } };
      const asked = client(stranger).messages.create({ model: "best", max_tokens: 5, messages: userMessage("hello") });
      await expect(asked).rejects.toThrow(errors.AuthenticationError);
    });

    test("a base address with /v1 is told to leave it out", async () => {
      const error = await failing("best", {}, { baseURL: `${clients.gateway.url}/v1` });
      expect(error).toBeInstanceOf(errors.NotFoundError);
      expect(error.message).toContain("leave /v1 out");
    });

    test("a path that does not exist, such as batches: one sentence and a few endpoints, not all of them", async () => {
      const { messages } = client(await clients.customer());
      const error: any = await (messages as Anthropic.Messages).batches.list().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(errors.NotFoundError);
      const inner = { type: "not_found_error", code: "endpoint_not_found" };
      expect(error).toMatchObject({ status: 404, error: { type: "error", error: inner, request_id: error.requestID } });
      expect(error.error.available_endpoints).toEqual(["POST /v1/messages", "POST /v1/messages/count_tokens"]);
      expect(error.message.length).toBeLessThan(700);
    });

    test("before a stream", async () => {
      expect(await failing("fail/down", { stream: true })).toBeInstanceOf(errors.InternalServerError);
    });

    test.each([["broken/cut"], ["broken/early-end"], ["broken/error-record"], ["broken/tool-call"]])(
      "%s midway: nothing is charged",
      async (model) => {
        const customer = await clients.customer();
        const stream = client(customer).messages.stream({ model, max_tokens: 500, tools: [weather], messages: userMessage("hello") });
        const error: any = await stream.finalMessage().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(errors.APIError);
        expect(JSON.stringify(error.error)).toContain("stream_interrupted");
        expect(await customer.spent()).toBe(0);
      },
    );
  });

  test("what may be retried is, what may not is not", async () => {
    const tries = async (model: string) => {
      const seen: Request[] = [];
      const { messages } = client(await clients.customer(), { seen, maxRetries: 1 });
      await messages.create({ model, max_tokens: 50, messages: userMessage("hello") }).catch(() => undefined);
      return seen.length;
    };
    expect(await tries("fail/unreadable")).toBe(2);
    expect(await tries("fail/gone")).toBe(1);
    expect(await tries("fail/rejects-400")).toBe(1);
  });

  test("an abort midway stops the upstream and pays for what came", async () => {
    const customer = await clients.customer();
    const stream = client(customer).messages.stream({ model: "plain/unhurried", max_tokens: 500, messages: userMessage("hello") });
    let pieces = 0;
    stream.on("text", () => {
      if (++pieces === 3) stream.abort();
    });
    await expect(stream.finalMessage()).rejects.toThrow(errors.APIUserAbortError);
    await quiet(clients.gateway);
    await until(async () => (await customer.spent()) > 0);
    expect(await customer.spent()).toBeLessThan(costOf({ input: 100, output: 400 }));
  });
});
