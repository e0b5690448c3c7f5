// One question at hosts of different habits, over real sockets: what counts as an answer without log probabilities.
import { expect, test } from "vitest";
import { type DecisionRoute, decideQuestion } from "../../src/language/decisions/question.ts";
import { openaiChat } from "../../src/providers/openai/chat.ts";
import { json } from "../providers/openai/chat-fixture.ts";
import { routeTo, startHost, useUpstream } from "../providers/upstream-fixture.ts";

const question = { id: "next", instructions: null, options: ["refund", "resend", "ask", "wait"].map((id) => ({ id, meaning: null })) };

/** A host that reports no log probabilities and always answers this. */
async function decideAt(content: string) {
  const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
  const host = await startHost(json(200, JSON.stringify({ choices })));
  const { signal } = new AbortController();
  const upstream = { route: routeTo(host.url), signal, requestId: "req_1", publicModel: "jev" };
  const route: DecisionRoute = { chat: openaiChat(useUpstream()), upstream, state: "s", noLogprobs: true };
  return (await decideQuestion(route, question, signal)).answer;
}

test("a document: its choice and how sure it is, within 0 and 1", async () => {
  expect(await decideAt('{"choice":"ask","confidence":0.7}')).toEqual({ type: "choice", choice: "ask", confidence: 0.7 });
  expect(await decideAt('```json\n{"choice":"ask","confidence":7}\n```')).toEqual({ type: "choice", choice: "ask", confidence: 1 });
});

test("a document that does not say how sure it is counts as a guess among the options", async () => {
  expect(await decideAt('{"choice":"ask"}')).toEqual({ type: "choice", choice: "ask", confidence: 0.25 });
  expect(await decideAt(" ask\n")).toEqual({ type: "choice", choice: "ask", confidence: 0.25 });
});

test.each(['{"choice":"other","confidence":1}', "other", "{}", ""])("%s names none of the options: unreadable", async (content) => {
  await expect(decideAt(content)).rejects.toMatchObject({ fault: "unreadable" });
});
