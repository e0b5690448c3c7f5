// Parts of a request that only some operations have, so that a bundle of others goes without them.

/** A path parameter, which can't leave its place in the path. */
export function segment(value: string): string {
  if (typeof value !== "string" || /^\.{0,2}$/.test(value)) throw new TypeError(`svc-sdk: "${value}" is not an id.`);
  return encodeURIComponent(value);
}

/** Streams say what they cost unless the caller says what they shall say. */
export function withUsage(body: Record<string, unknown>): Record<string, unknown> {
  return body.stream === true && body.stream_options == null ? { ...body, stream_options: { include_usage: true } } : body;
}

/** 128 random bits. Not `randomUUID`: pages without TLS lack it. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
