// Bodies that may have a file: a form if they do, else JSON.

/** Bytes of a file. The client reads a stream to its end before it sends anything, so that a retry can send the bytes again. */
export type Bytes = Blob | ArrayBuffer | ArrayBufferView | Response | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * A file to send: a `File` or `Blob` (in Node `await fs.openAsBlob(path)`), bytes, a `Response` of fetch, or a stream such as
 * `fs.createReadStream(path)`. `{ name, data }` sets the file name; only the content determines the file type.
 */
export type Upload = Bytes | { name: string; data: Bytes };

/** FormData if the body has files, else the same body for JSON. */
export async function formOf(body: Record<string, unknown>): Promise<FormData | Record<string, unknown>> {
  if (!Object.values(body).flat().some(isUpload)) return body;
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    if (value == null) continue;
    if (Array.isArray(value)) for (const one of value) await append(form, name.endsWith("[]") ? name : `${name}[]`, one);
    else await append(form, name, value);
  }
  return form;
}

async function append(form: FormData, field: string, value: unknown): Promise<void> {
  if (!isUpload(value)) return form.append(field, typeof value === "object" ? JSON.stringify(value) : String(value as string));
  const named = "name" in value && "data" in value;
  const blob = await blobOf(named ? value.data : value);
  form.append(field, blob, named ? value.name : blob instanceof File ? blob.name : "file");
}

/** No field of a form is any other object with these. */
function isUpload(value: unknown): value is Upload {
  if (typeof value !== "object" || value === null) return false;
  const isBytes = [Blob, Response, ReadableStream, ArrayBuffer].some((kind) => value instanceof kind) || ArrayBuffer.isView(value);
  return isBytes || Symbol.asyncIterator in value || ("name" in value && "data" in value);
}

async function blobOf(bytes: Bytes): Promise<Blob> {
  if (bytes instanceof Blob) return bytes;
  if (bytes instanceof Response) return bytes.blob();
  if (bytes instanceof ReadableStream) return new Response(bytes).blob();
  if (bytes instanceof ArrayBuffer || ArrayBuffer.isView(bytes)) return new Blob([bytes as ArrayBuffer]);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of bytes) pieces.push(piece as Uint8Array<ArrayBuffer>);
  return new Blob(pieces);
}
