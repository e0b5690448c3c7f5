// Upstreams under a test's hand: one answers when it is told to, the other streams and never ends.
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

async function startHost(onRequest: RequestListener) {
  const host = createServer(onRequest);
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(host.address() as AddressInfo).port}`,
    close() {
      host.close();
      host.closeAllConnections();
    },
  };
}

const head = { id: "chatcmpl-1", created: 1, model: "m" };
const answer = JSON.stringify({
  ...head,
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
});
const send = (response: ServerResponse) => response.setHeader("content-type", "application/json").end(answer);

/** Reads what it is sent, and answers when it is told to. */
export async function startHangingHost() {
  const waiting: ServerResponse[] = [];
  const host = await startHost((request, response) => void request.resume().on("end", () => waiting.push(response)));
  return { ...host, waiting, answerAll: () => waiting.splice(0).forEach(send) };
}

/** Answers at once; a stream goes on for as long as somebody takes it. */
export async function startTalkingHost() {
  const streams: ServerResponse[] = [];
  const host = await startHost((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      if ((JSON.parse(body) as { stream?: boolean }).stream !== true) return send(response);
      streams.push(response);
      talk(response.setHeader("content-type", "text/event-stream"));
    });
  });
  return {
    ...host,
    begun: () => streams.length,
    open: () => streams.filter(({ destroyed }) => !destroyed).length,
    /** Bytes that have left it, over the streams that are open. */
    taken: () => streams.reduce((sum, { socket }) => sum + (socket === null ? 0 : socket.bytesWritten - socket.writableLength), 0),
  };
}

const words = "word ".repeat(3_200);
const record = `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta: { content: words }, finish_reason: null }] })}\n\n`;
/** Megabytes a second, and slow enough that the kernel sees no reason to widen its buffers as far as it may. */
const paceMs = 4;

function talk(response: ServerResponse): void {
  if (response.destroyed) return;
  if (response.write(record)) setTimeout(talk, paceMs, response);
  else response.once("drain", () => talk(response));
}
