// The requests of the scenarios.
import type { Shape } from "../measure.ts";

interface ChatShape {
  /** mock/answers.ts. */
  model?: string;
  stream?: boolean;
  /** Of the prompt. */
  bytes?: number;
  connections: number;
  loop: Shape["loop"];
}

/** Of an ordinary prompt. */
const promptBytes = 900;

export function chat({ model = "mock-0-200-0", stream = false, bytes = promptBytes, connections, loop }: ChatShape): Shape {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "@PAD@" }], max_tokens: 400, stream });
  return { method: "POST", path: "/v1/chat/completions", body, padBytes: bytes, connections, loop };
}
