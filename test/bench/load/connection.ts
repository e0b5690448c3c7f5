// One keep-alive connection of the load generator on a bare socket: sends prepared bytes and finds where the answer ends.
// It knows content-length and chunked answers, and takes nothing else apart.
import { connect, type Socket } from "node:net";

export interface Answer {
  /** 0: the connection broke. */
  status: number;
  /** performance.now() of the first byte of the body, and of the last. */
  firstByteAt: number;
  endAt: number;
  /** Of a stream of events. */
  records: number;
  /** Of an answer that is no success: its first piece. */
  text: string;
}

export interface Connection {
  /** One at a time. */
  send(request: Buffer, done: (answer: Answer) => void): void;
  close(): void;
}

export function openConnection(host: string, port: number): Connection {
  let socket: Socket | null = null;
  let done: ((answer: Answer) => void) | null = null;
  let early: Buffer | null = null;
  let inBody = false;
  let keep = true;
  /** Bytes of the body that are still to come; -1: chunked. */
  let left = 0;
  let answer: Answer = fresh();
  let tail = "";

  const finish = (): void => {
    const tell = done;
    done = null;
    inBody = false;
    answer.endAt = performance.now();
    if (!keep) {
      socket?.destroy();
      socket = null;
    }
    tell?.(answer);
  };

  const readHead = (chunk: Buffer): Buffer | null => {
    const bytes = early === null ? chunk : Buffer.concat([early, chunk]);
    const at = bytes.indexOf("\r\n\r\n");
    early = at < 0 ? bytes : null;
    if (at < 0) return null;
    const head = bytes.toString("latin1", 0, at);
    answer.status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    left = length ? Number(length[1]) : -1;
    keep = !/\r\nconnection: *close/i.test(head);
    inBody = true;
    tail = "";
    return bytes.subarray(at + 4);
  };

  const onData = (chunk: Buffer): void => {
    if (done === null) return;
    const body = inBody ? chunk : readHead(chunk);
    if (body === null) return;
    if (body.length > 0) {
      if (answer.firstByteAt === 0) answer.firstByteAt = performance.now();
      if (answer.status !== 200 && answer.text === "") answer.text = body.toString("latin1", 0, 500);
    }
    if (left >= 0) {
      left -= body.length;
      if (left <= 0) finish();
      return;
    }
    answer.records += countRecords(body, tail.endsWith("\n"));
    tail = (tail + body.toString("latin1", Math.max(0, body.length - 7))).slice(-7);
    if (tail === "\r\n0\r\n\r\n" || tail === "0\r\n\r\n") finish();
  };

  const dial = (): Socket => {
    const made = connect({ host, port, noDelay: true });
    made.on("data", onData);
    made.on("error", () => undefined);
    made.on("close", () => {
      if (socket === made) socket = null;
      if (done === null || socket !== null) return;
      answer.text ||= `the connection ended after status ${answer.status}`;
      answer.status = 0;
      finish();
    });
    return made;
  };

  return {
    send(request, onDone) {
      done = onDone;
      answer = fresh();
      early = null;
      keep = true;
      socket ??= dial();
      socket.write(request);
    },
    close() {
      done = null;
      socket?.destroy();
      socket = null;
    },
  };
}

function fresh(): Answer {
  return { status: 0, firstByteAt: 0, endAt: 0, records: 0, text: "" };
}

/** A record ends with an empty line; chunked framing never stands inside one. */
function countRecords(body: Buffer, afterNewline: boolean): number {
  let records = afterNewline && body[0] === 10 ? 1 : 0;
  for (let at = body.indexOf("\n\n", records); at >= 0; at = body.indexOf("\n\n", at + 2)) records += 1;
  return records;
}
