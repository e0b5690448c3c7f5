// The edge with a temporary handler of transcriptions that notes what it was given, and forms to send to it.
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { EdgeLimits } from "../../src/server/edge.ts";
import type { Request } from "../../src/operation.ts";
import { newFolder } from "../media/file-server.ts";
import { auth, call, eventually, json, startEdge } from "./start-edge.ts";
import type { TestHandler } from "./start-edge.ts";

export const path = "/v1/audio/transcriptions";
export const megabyte = 1024 * 1024;
export const typed = { "content-type": "multipart/form-data; boundary=----b", ...auth };

export type Part = [name: string, value: string | Buffer, filename?: string];
export const voice: Part = ["file", "RIFFdata", "voice.wav"];

export interface Seen {
  fields: unknown;
  bytes: number;
  head: string;
  body: unknown;
}

/** `close` checks that no file is left. */
export async function startFormEdge(limits: Partial<EdgeLimits> = {}, handler?: TestHandler) {
  const files = newFolder();
  const seen: Seen[] = [];
  const note: TestHandler = (_context, request) => {
    seen.push(noted(request as Request<"createTranscription">));
    return json({ text: "hello" });
  };
  const edge = await startEdge({ limits, handlers: { createTranscription: handler ?? note }, filesFolder: files.folder });
  return {
    ...edge,
    files,
    seen,
    send: async (parts: readonly Part[] | Buffer, headers: Record<string, string> = {}) => {
      const body = new Uint8Array(Buffer.isBuffer(parts) ? parts : formBytes(parts));
      const answer = await call(edge, path, { method: "POST", headers: { ...typed, ...headers }, body });
      const { code, param, message } = answer.body.error ?? {};
      return { status: answer.status, code: code ?? null, param: param ?? null, message: message ?? "" };
    },
    close: async () => {
      await edge.close(200);
      // The answer goes out before the file goes.
      await eventually(() => files.names().length === 0);
    },
  };
}

export type FormEdge = Awaited<ReturnType<typeof startFormEdge>>;

function noted({ form, body }: Request<"createTranscription">): Seen {
  if (form === null) return { fields: null, bytes: 0, head: "", body };
  const bytes = readFileSync(form.file.path);
  expect(bytes.length).toBe(form.file.bytes);
  return { fields: form.fields, bytes: bytes.length, head: bytes.subarray(0, 8).toString("latin1"), body };
}

export function formBytes(parts: readonly Part[], boundary = "----b"): Buffer {
  const pieces = parts.flatMap(([name, value, filename]) => {
    const file = filename === undefined ? "" : `; filename="${filename}"\r\ncontent-type: application/octet-stream`;
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value), Buffer.from("\r\n")];
  });
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}
