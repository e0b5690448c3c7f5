// The bytes of one streamed answer, taken apart without any client's forbearance and held against docs/behaviour/streams.md.
import { expect } from "vitest";
import { checkReply } from "../support/contract.ts";

export interface RawStream {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The chunks before `[DONE]`, parsed. */
  chunks: any[];
  comments: string[];
}

/** Reads a whole streamed answer; every fault of its form is thrown. */
export async function readRaw(url: string, key: string, body: object): Promise<RawStream> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ stream: true, ...body }),
  });
  const text = await response.text();
  const headers = Object.fromEntries(response.headers);
  checkReply("createChatCompletion", { status: response.status, headers, bodyText: text });
  const raw = { status: response.status, headers, text, ...takeApart(text) };
  if (response.status === 200) assertForm(raw);
  return raw;
}

function takeApart(text: string): Pick<RawStream, "chunks" | "comments"> {
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  const records = text.slice(0, -2).split("\n\n");
  const comments = records.filter((record) => record.startsWith(":"));
  const data = records.filter((record) => !record.startsWith(":"));
  for (const record of data) expect(record).toMatch(/^data: \S[^\n\r]*$/); // one line, one space, no event or id
  expect(data.filter((record) => record === "data: [DONE]")).toHaveLength(1);
  return { comments, chunks: data.slice(0, -1).map((record) => JSON.parse(record.slice("data: ".length)) as unknown) };
}

function assertForm({ headers, chunks, comments }: RawStream): void {
  expect(headers).toMatchObject({
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    "x-request-id": expect.stringMatching(/^req_/),
  });
  expect(headers["content-encoding"]).toBeUndefined();
  expect(comments.filter((comment) => comment !== ": keep-alive")).toEqual([]);
  const heads = new Set(chunks.map(({ id, object, created, model }) => JSON.stringify({ id, object, created, model })));
  expect([...heads]).toEqual([expect.stringContaining('"object":"chat.completion.chunk"')]);
  for (const chunk of chunks) {
    expect(Array.isArray(chunk.choices)).toBe(true);
    expect(chunk.error === undefined || typeof chunk.error.message === "string").toBe(true); // never null
    for (const choice of chunk.choices) expect(choice).toMatchObject({ index: expect.any(Number), delta: expect.any(Object) });
  }
  for (const [index, choices] of Map.groupBy(
    chunks.flatMap(({ choices }) => choices),
    ({ index }) => index as number,
  ))
    assertChoice(index, choices);
}

function assertChoice(index: number, choices: RawStream["chunks"]): void {
  const broke = choices.at(-1).finish_reason === "error";
  if (!broke || choices.length > 1) expect(choices[0].delta, `first delta of choice ${index}`).toMatchObject({ role: "assistant" });
  expect(choices.slice(1).filter(({ delta }) => "role" in delta)).toEqual([]);
  const ends = choices.map(({ finish_reason }) => finish_reason as string | null);
  expect(ends.pop()).toMatch(/^(stop|length|tool_calls|content_filter|function_call|error)$/);
  expect(ends.filter((reason) => reason !== null)).toEqual([]);
  for (const call of choices.flatMap(({ delta }) => delta.tool_calls ?? [])) {
    expect(call).toMatchObject({ index: expect.any(Number), function: expect.any(Object) });
    expect(Object.values({ ...call, ...call.function })).not.toContain(null);
  }
}
