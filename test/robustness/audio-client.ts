// Asks a gateway for audio over a socket of its own, and leaves in every way that clients disconnect.
import { request } from "node:http";

export interface AudioAsk {
  url: string;
  key: string;
  /** Below /v1/audio/. */
  path: string;
  body: Buffer | string;
  type?: string;
  /** Absent: stays to the end. */
  leave?: Leaving;
}

export interface Leaving {
  /** As soon as so many bytes of the answer have come; 0: as soon as its head has; a promise: when it resolves. */
  after: number | Promise<unknown>;
  /** With a reset in place of an end. */
  reset: boolean;
}

export interface AudioHeard {
  /** 0: no head came. */
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
  /** The answer had its proper end; it ended without; the client disconnected before either. */
  outcome: "whole" | "broken" | "left";
}

/** Never rejects. */
export function askAudio({ url, key, path, body, type = "application/json", leave }: AudioAsk): Promise<AudioHeard> {
  return new Promise((resolve) => {
    const heard: AudioHeard = { status: 0, headers: {}, bytes: Buffer.alloc(0), outcome: "broken" };
    const pieces: Buffer[] = [];
    let size = 0;
    let isOver = false;
    const headers = { authorization: `Bearer ${key}`, "content-type": type, "content-length": Buffer.byteLength(body) };
    const call = request(`${url}/v1/audio/${path}`, { method: "POST", headers, agent: false });
    const go = () => {
      if (isOver) return;
      heard.outcome = "left";
      if (leave!.reset) call.socket?.resetAndDestroy();
      call.destroy();
    };
    call.on("error", () => undefined);
    call.once("close", () => {
      isOver = true;
      resolve({ ...heard, bytes: Buffer.concat(pieces) });
    });
    call.once("response", (reply) => {
      heard.status = reply.statusCode!;
      heard.headers = reply.headers as Record<string, string>;
      reply.on("error", () => undefined);
      reply.on("data", (piece: Buffer) => {
        pieces.push(piece);
        size += piece.length;
        if (typeof leave?.after === "number" && size >= leave.after && heard.outcome !== "left") go();
      });
      reply.once("close", () => {
        if (heard.outcome !== "left" && reply.complete) heard.outcome = "whole";
      });
      if (leave?.after === 0) go();
    });
    call.end(body);
    if (typeof leave?.after === "object") void leave.after.then(go);
  });
}
