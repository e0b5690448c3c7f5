// What the mock upstream says, made once for each kind of model and then only written. A model's name says how it behaves:
// mock-DELAY-CHUNKS-GAP answers after DELAY ms; a stream has CHUNKS chunks, GAP ms apart, 0 meaning as fast as they go.

export interface Answers {
  delayMs: number;
  gapMs: number;
  chunks: number;
  /** A whole HTTP answer. */
  whole: Buffer;
  /** A streamed one: its head, then what goes out together (each SSE record a chunk of HTTP, as hosts send them). */
  head: Buffer;
  parts: Buffer[];
}

export const promptTokens = 270;
const made = new Map<string, Answers>();

export function answersOf(delay: string, chunks: string, gap: string): Answers {
  const key = `${delay}-${chunks}-${gap}`;
  let answers = made.get(key);
  if (answers === undefined) made.set(key, (answers = make(Number(delay), Number(chunks), Number(gap))));
  return answers;
}

function make(delayMs: number, chunks: number, gapMs: number): Answers {
  const usage = JSON.stringify({ prompt_tokens: promptTokens, completion_tokens: chunks, total_tokens: promptTokens + chunks });
  const records = Array.from({ length: chunks }, (_, index) =>
    choice(`{"delta":{"content":" word${index}"},"index":0,"finish_reason":null}`),
  );
  const end = [
    choice('{"delta":{},"index":0,"finish_reason":"stop"}'),
    record(`{${common("chat.completion.chunk")},"choices":[],"usage":${usage}}`),
    record("[DONE]"),
  ];
  const last = Buffer.from(`${end.join("")}0\r\n\r\n`);
  return {
    delayMs,
    gapMs,
    chunks,
    whole: whole(usage),
    head: Buffer.from("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"),
    parts: [...records.map((one) => Buffer.from(one)), last], // a write each, as hosts send tokens
  };
}

function whole(usage: string): Buffer {
  const message = `{"role":"assistant","content":"${"A sentence of an answer. ".repeat(16)}"}`;
  return jsonAnswer(`{${common("chat.completion")},"choices":[{"index":0,"message":${message},"finish_reason":"stop"}],"usage":${usage}}`);
}

export function jsonAnswer(body: string): Buffer {
  return Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

function common(object: string): string {
  return `"id":"chatcmpl-1","object":"${object}","created":1790000000,"model":"mock"`;
}

function choice(text: string): string {
  return record(`{${common("chat.completion.chunk")},"choices":[${text}]}`);
}

/** All of it is ASCII. */
function record(data: string): string {
  const text = `data: ${data}\n\n`;
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}
