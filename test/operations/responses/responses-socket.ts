// A client of the WebSocket of /v1/responses, for tests: each frame that comes is an event, held against the contract where it is a refusal.
import { WebSocket } from "undici";
import { expect } from "vitest";
import { checkReply } from "../../support/contract.ts";

export interface TestSocket {
  ws: WebSocket;
  /** Sends a turn and resolves with its events, up to the last one. */
  turn(body: object): Promise<any[]>;
  send(frame: string): void;
  /** The next events up to the last one of a turn. */
  events(): Promise<any[]>;
  /** Code and reason. */
  closed: Promise<[number, string]>;
  close(): void;
}

const last = new Set(["response.completed", "response.incomplete", "response.failed", "error"]);

/** Rejects where the upgrade is refused. */
export async function openSocket(url: string, headers: Record<string, string>): Promise<TestSocket> {
  const ws = new WebSocket(`${url.replace(/^http/, "ws")}/v1/responses`, { headers });
  const waiting: any[] = [];
  let wake: () => void = () => undefined;
  let over = false;
  const closed = new Promise<[number, string]>((resolve) => {
    ws.addEventListener("close", ({ code, reason }) => {
      over = true;
      wake();
      resolve([code, reason]);
    });
  });
  ws.addEventListener("message", ({ data }) => {
    const event = JSON.parse(data as string) as Record<string, unknown>;
    if (event["type"] === "error" && event["status"] !== undefined) checkRefusal(event);
    waiting.push(event);
    wake();
  });
  await new Promise<void>((resolve, reject) => {
    ws.addEventListener("open", () => resolve());
    ws.addEventListener("error", () => reject(new Error("the upgrade was refused")));
  });
  const events = async () => {
    const taken: any[] = [];
    for (;;) {
      while (waiting.length === 0) {
        if (over) throw new Error("the connection closed within a turn");
        await new Promise<void>((resolve) => (wake = resolve));
      }
      taken.push(waiting.shift());
      const { type } = taken.at(-1) as { type: string };
      // An interrupted stream has two events at its end.
      if (type === "error" && (taken.at(-1) as { status?: number }).status === undefined) continue;
      if (last.has(type)) return taken;
    }
  };
  return {
    ws,
    closed,
    events,
    send: (frame) => ws.send(frame),
    turn(body) {
      ws.send(JSON.stringify({ type: "response.create", ...body }));
      return events();
    },
    close: () => ws.close(),
  };
}

/** The same body as over HTTP, beside what makes it an event. Its headers have no place in a frame. */
function checkRefusal({ type, sequence_number, status, code, message, param, ...body }: Record<string, any>): void {
  expect({ type, sequence_number, code, message, param }).toMatchObject({ type: "error", sequence_number: 0, code: body["error"].code });
  expect([message, param]).toEqual([body["error"].message, body["error"].param]);
  const headers = {
    "content-type": "application/json",
    "x-request-id": body["error"].request_id,
    "x-should-retry": String(body["error"].retryable),
  };
  checkReply("createResponse", { status, headers: { ...headers, "retry-after": "1" }, bodyText: JSON.stringify(body) });
}
