// Carries out one turn of a WebSocket as a request of its own: POST /v1/responses over a pair of streams in memory, to the server that the
// WebSocket came to. So each turn is authenticated, limited, admitted, billed, logged, traced, abandoned and stopped as every other request.
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as openRequest, type Server } from "node:http";
import { type Duplex, duplexPair } from "node:stream";

interface TurnAsked {
  /** Of the request that became the WebSocket. */
  headers: IncomingHttpHeaders;
  /** The client's address, as its connection has it. */
  remoteAddress: string | undefined;
  /** The JSON body. */
  body: string;
  /** Fires when the client has disconnected. */
  signal: AbortSignal;
}

/** What says who asks and from where. A request id or an idempotency key of the first request does not apply to later turns. */
const passedOn = ["authorization", "host", "user-agent", "x-forwarded-for", "traceparent"] as const;

/** Resolves with the head of the answer. Rejects where the connection ends before it. */
export function askTurn(server: Server, { headers, remoteAddress, body, signal }: TurnAsked): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request: ClientRequest = openRequest({
    createConnection: () => connectInMemory(server, remoteAddress),
    method: "POST",
    path: "/v1/responses",
    headers: {
      ...Object.fromEntries(passedOn.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))),
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    },
  });
  const leave = () => void request.destroy(new Error("the client closed its WebSocket"));
  request.once("response", resolve).once("error", reject);
  request.once("close", () => signal.removeEventListener("abort", leave));
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  else request.end(body);
  return promise;
}

/** Node's server takes any stream for a connection; what it and ours ask of a socket beyond that is added. */
function connectInMemory(server: Server, remoteAddress: string | undefined): Duplex {
  const [near, far] = duplexPair();
  const socket = Object.assign(far, {
    remoteAddress,
    setTimeout: () => socket,
    setNoDelay: () => socket,
    setKeepAlive: () => socket,
    destroySoon() {
      if (far.writable) far.end();
      if (far.writableFinished) far.destroy();
      else far.once("finish", () => far.destroy());
    },
    resetAndDestroy: () => far.destroy(),
  });
  // A pair doesn't tell one side that the other was destroyed.
  near.once("close", () => far.destroy());
  far.once("close", () => {
    if (!near.readableEnded) near.destroy(new Error("the answer was cut off"));
  });
  far.on("error", () => undefined);
  server.emit("connection", socket);
  return near;
}

/** The events of a streamed answer, as JSON texts. Comments are left out: the WebSocket has pings of its own. */
export async function* eventsOf(answer: IncomingMessage): AsyncGenerator<string> {
  let rest = "";
  answer.setEncoding("utf8");
  for await (const chunk of answer as AsyncIterable<string>) {
    const blocks = (rest + chunk).split("\n\n");
    rest = blocks.pop()!;
    for (const block of blocks) {
      const at = block.indexOf("\ndata: ");
      if (block.startsWith("event: ") && at !== -1) yield block.slice(at + "\ndata: ".length);
    }
  }
  if (!answer.complete) throw new Error("the answer was cut off");
}

/** A refusal's body. */
export async function textOf(answer: IncomingMessage): Promise<string> {
  let text = "";
  answer.setEncoding("utf8");
  for await (const chunk of answer as AsyncIterable<string>) text += chunk;
  return text;
}
