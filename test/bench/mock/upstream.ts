// The upstream of the benchmark, a process of its own on bare sockets, so that it is never what is measured. It reads a request
// no further than it must, and counts what it delivered by the first segment of the path: whose upstream it was.
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type Answers, answersOf, jsonAnswer, promptTokens } from "./answers.ts";

export interface Delivered {
  requests: number;
  prompt: number;
  completion: number;
  /** Streams whose reader left. */
  broken: number;
}

/** A body up to this is looked at whole; of a larger one the first and the last piece, where its fields stand. */
const lookedAtMax = 65_536;
const delivered: Record<string, Delivered> = {};

const server = createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => undefined);
  socket.on("data", readRequests(socket));
});
server.listen({ port: 0, host: "127.0.0.1", backlog: 2048 }, () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));

/** Of a large body, at its beginning and at its end. */
const keptPieces = 8;

/** One request at a time on a connection: nobody here pipelines. */
function readRequests(socket: Socket): (chunk: Buffer) => void {
  let head = "";
  let early: Buffer | null = null;
  let pieces: Buffer[] = [];
  let size = 0;
  /** Of the body; -1: chunked. */
  let length = 0;

  return (chunk) => {
    if (head === "") {
      const bytes: Buffer = early === null ? chunk : Buffer.concat([early, chunk]);
      const at = bytes.indexOf("\r\n\r\n");
      if (at < 0) return void (early = bytes);
      early = null;
      head = bytes.toString("latin1", 0, at);
      length = bodyLength(head);
      if (/^expect: *100/im.test(head)) socket.write("HTTP/1.1 100 Continue\r\n\r\n");
      pieces = [bytes.subarray(at + 4)];
      size = bytes.length - at - 4;
    } else {
      // The beginning says what is asked for; a gateway may send it in several small pieces.
      if (size > lookedAtMax && pieces.length > 2 * keptPieces) pieces.splice(keptPieces, pieces.length - 2 * keptPieces);
      pieces.push(chunk);
      size += chunk.length;
    }
    if (length < 0 ? !endsChunked(pieces) : size < length) return;
    const asked = head;
    const body = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    head = "";
    answer(socket, asked, body);
  };
}

function bodyLength(head: string): number {
  const found = /\r\ncontent-length: *(\d+)/i.exec(head);
  if (found) return Number(found[1]);
  return /\r\ntransfer-encoding: *chunked/i.test(head) ? -1 : 0;
}

function endsChunked(pieces: Buffer[]): boolean {
  return Buffer.concat(pieces.slice(-2)).subarray(-5).toString("latin1") === "0\r\n\r\n";
}

function answer(socket: Socket, head: string, body: Buffer): void {
  const path = head.slice(head.indexOf(" ") + 1, head.indexOf(" ", head.indexOf(" ") + 1));
  if (path === "/counts") return void socket.write(jsonAnswer(JSON.stringify(delivered)));
  const text = body.length <= lookedAtMax ? body.toString("latin1") : body.toString("latin1", 0, 4096) + body.toString("latin1", -4096);
  const asked = /"model": ?"mock-(\d+)-(\d+)-(\d+)"/.exec(text);
  if (asked === null) return void socket.write(jsonAnswer('{"object":"list","data":[]}'));
  const answers = answersOf(asked[1] as string, asked[2] as string, asked[3] as string);
  const owner = path.slice(1, path.indexOf("/", 1));
  const count = (delivered[owner] ??= { requests: 0, prompt: 0, completion: 0, broken: 0 });
  const send = /"stream": ?true/.test(text) ? () => stream(socket, answers, count) : () => whole(socket, answers, count);
  if (answers.delayMs === 0) send();
  else setTimeout(send, answers.delayMs);
}

function whole(socket: Socket, answers: Answers, count: Delivered): void {
  socket.write(answers.whole);
  counted(count, answers);
}

function stream(socket: Socket, answers: Answers, count: Delivered): void {
  socket.write(answers.head);
  let next = 0;
  const step = (): boolean => {
    if (socket.destroyed) count.broken += 1;
    else socket.write(answers.parts[next] as Buffer);
    next += 1;
    if (next < answers.parts.length && !socket.destroyed) return true;
    if (!socket.destroyed) counted(count, answers);
    return false;
  };
  if (answers.gapMs > 0) {
    const timer = setInterval(() => step() || clearInterval(timer), answers.gapMs);
    return;
  }
  const turn = (): void => void (step() && setImmediate(turn));
  turn();
}

function counted(count: Delivered, { chunks }: Answers): void {
  count.requests += 1;
  count.prompt += promptTokens;
  count.completion += chunks;
}
