// Parts of a request that only some operations have, so that bundles without those operations omit them.

/** A path parameter, encoded so that it can't change the path. */
export function segment(value: string): string {
  if (typeof value !== "string" || /^\.{0,2}$/.test(value)) throw new TypeError(`svc-sdk: "${value}" is not an id.`);
  return encodeURIComponent(value);
}

/** Requests the usage of a stream, unless the caller sets the stream options. */
export function withUsage(body: Record<string, unknown>): Record<string, unknown> {
  return body.stream === true && body.stream_options == null ? { ...body, stream_options: { include_usage: true } } : body;
}

/** 128 random bits. Not `randomUUID`, which pages without TLS lack. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
