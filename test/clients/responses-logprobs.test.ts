// Log probabilities of POST /v1/responses as real clients ask for and read them.
import { generateText } from "ai";
import type OpenAI from "openai";
import { expect, test } from "vitest";
import { useResponsesClients } from "./responses-clients.ts";

const clients = useResponsesClients();
const question = "Tell me about the sea.";

test("openai: they come whole and streamed, and the helper keeps them", async () => {
  const client = (await clients.customer()).openai();
  const ask = { model: "plain/chat", input: question, include: ["message.output_text.logprobs" as const], top_logprobs: 2 };
  const read = ({ output }: OpenAI.Responses.Response) =>
    output.flatMap((item) => (item.type === "message" ? item.content : [])).flatMap((part) => ("logprobs" in part ? part.logprobs : []));
  const whole = read(await client.responses.create(ask));
  expect(whole.length).toBeGreaterThan(2);
  expect(whole[0]).toMatchObject({ token: expect.any(String), top_logprobs: [{}, {}] });
  expect(read(await client.responses.stream(ask).finalResponse())).toEqual(whole);
});

test("the AI SDK: its logprobs option is answered in its own metadata", async () => {
  const { aiSdkOpenAI } = await clients.customer();
  const { providerMetadata, text } = await generateText({
    model: aiSdkOpenAI("plain/chat"),
    prompt: question,
    providerOptions: { openai: { logprobs: 2 } },
  });
  const [tokens] = providerMetadata?.["openai"]?.["logprobs"] as unknown as { token: string; top_logprobs: unknown[] }[][];
  expect(tokens!.map(({ token }) => token).join("")).toBe(text);
  expect(tokens!.every(({ top_logprobs }) => top_logprobs.length === 2)).toBe(true);
});
