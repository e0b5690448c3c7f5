// A client of the soak: sends one request, and leaves when its plan says so; on a connection of its own or on a kept one.
import { type Agent, type ClientRequest, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

export interface Sent {
  method: "GET" | "POST" | "DELETE";
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

/** When a client goes: never, with half of its body sent, while it waits for the head, or so long after the first bytes of the answer. */
export type Leave = { at: "never" } | { at: "upload" | "head" | "answer"; afterMs: number };

export interface Outcome {
  /** 0: none came. */
  status: number;
  left: boolean;
  /** Its end never came. */
  hung: boolean;
  headers: NodeJS.Dict<string | string[]>;
  /** Its beginning, enough to read an id from. */
  text: string;
}

const keptTextMax = 4_096;
/** Longer than any call of the soak takes, the stream included that its upstream leaves hanging for a minute. */
const timeoutDefaultMs = 150_000;

interface Manners {
  /** Kept connections; absent: one of its own. */
  agent?: Agent;
  leave?: Leave;
  /** How long it reads nothing once the answer has begun. */
  pauseMs?: number;
  /** It reads so many bytes, then waits for a moment; 0: as they come. */
  sipBytes?: number;
  /** After this it gives up, whatever has come. */
  timeoutMs?: number;
}

/** Never rejects: a broken connection is an outcome. */
export async function send(base: URL, sent: Sent, manners: Manners = {}): Promise<Outcome> {
  const { agent = false, leave = { at: "never" }, pauseMs = 0, sipBytes = 0, timeoutMs = timeoutDefaultMs } = manners;
  const { method, path, headers, body } = sent;
  const call = request({
    ...{ host: base.hostname, port: base.port, method, path, agent },
    headers: { ...headers, ...(body === null ? {} : { "content-length": body.length }) },
  });
  const outcome = follow(call, leave, { pauseMs, sipBytes, timeoutMs });
  if (body === null) call.end();
  else if (leave.at === "upload") {
    call.write(body.subarray(0, Math.ceil(body.length / 2)));
    setTimeout(() => call.destroy(), leave.afterMs);
  } else call.end(body);
  return outcome;
}

function follow(
  call: ClientRequest,
  leave: Leave,
  { pauseMs, sipBytes, timeoutMs }: Required<Pick<Manners, "pauseMs" | "sipBytes" | "timeoutMs">>,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const outcome: Outcome = { status: 0, left: leave.at !== "never", hung: false, headers: {}, text: "" };
    call.on("error", () => undefined);
    const timer = setTimeout(() => {
      outcome.hung = true;
      call.destroy();
    }, timeoutMs);
    call.once("close", () => {
      clearTimeout(timer);
      resolve(outcome);
    });
    if (leave.at === "head") call.once("finish", () => setTimeout(() => call.destroy(), leave.afterMs));
    call.once("response", (reply) => {
      outcome.status = reply.statusCode!;
      outcome.headers = reply.headers;
      reply.on("error", () => undefined);
      reply.on("data", (chunk: Buffer) => {
        if (outcome.text.length < keptTextMax) outcome.text += chunk.toString("latin1", 0, keptTextMax);
      });
      if (leave.at === "answer") reply.once("data", () => setTimeout(() => call.destroy(), leave.afterMs));
      if (pauseMs > 0) {
        reply.pause();
        void sleep(pauseMs).then(() => reply.resume());
      }
      if (sipBytes > 0)
        reply.on("data", (chunk: Buffer) => {
          reply.pause();
          setTimeout(() => reply.resume(), Math.min(1_000, chunk.length / sipBytes));
        });
    });
  });
}
