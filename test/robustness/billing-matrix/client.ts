// A client of any endpoint that leaves when it is told to: node:http, because fetch buffers what it was given.
import { request } from "node:http";

export interface LeavingCall {
  url: string;
  headers: Record<string, string>;
  body: object;
}

/** Sends it; the function that it gives leaves. */
export function openCall({ url, headers, body }: LeavingCall): () => void {
  const call = request(url, { method: "POST", agent: false, headers: { ...headers, "content-type": "application/json" } });
  call.on("error", () => undefined); // leaving is no error here
  call.end(JSON.stringify(body));
  return () => call.destroy();
}

/** Leaves as soon as `delta` has matched so often. */
export function leaveAfter({ url, headers, body }: LeavingCall, delta: RegExp, times: number): Promise<void> {
  const call = request(url, { method: "POST", agent: false, headers: { ...headers, "content-type": "application/json" } });
  return new Promise((resolve, reject) => {
    let left = false;
    let text = "";
    call.on("error", (error) => (left ? undefined : reject(error)));
    call.once("response", (reply) => {
      reply.setEncoding("utf8");
      reply.on("error", () => undefined);
      reply.on("data", (piece: string) => {
        text += piece;
        if (left || [...text.matchAll(delta)].length < times) return;
        left = true;
        call.destroy();
        resolve();
      });
      reply.once("end", () => reject(new Error(`the stream ended by itself: ${text}`)));
    });
    call.end(JSON.stringify(body));
  });
}

/** The usage blocks of an answer that say what was charged, streamed or not; a charge must be said once. */
export function chargesIn(reply: { text: string }): any[] {
  const documents = reply.text.startsWith("{") ? [reply.text] : [...reply.text.matchAll(/^data: (\{.*\})$/gm)].map(([, data]) => data!);
  return documents
    .map((document) => JSON.parse(document) as any)
    .map((record) => record.usage ?? record.response?.usage ?? record.message?.usage)
    .filter((usage) => usage?.cost !== undefined);
}
