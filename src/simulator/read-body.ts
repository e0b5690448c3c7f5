// Reads a request's body into memory, bounded. Owns the usual limit of 64 MB; what the bytes mean belongs to the protocols.
import type { IncomingMessage } from "node:http";

/** Twice what the gateway takes from its callers, and room for base64 images on top. */
export const bodyBytesUsual = 64 * 1024 * 1024;

/** Null where the body is too large (what is left of it is read and thrown away); rejects when the client goes away. */
export function readBody(request: IncomingMessage, bodyBytesMax: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bodyBytesMax) chunks.push(chunk);
      else {
        chunks = [];
        resolve(null);
      }
    });
    request.on("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.on("error", reject);
    request.on("close", () => reject(new Error("the client went away")));
  });
}
