// Bodies that may have a file: a form if they do, else JSON.

/** Bytes of a file. The client reads a stream to its end before it sends anything, so that a retry can send the bytes again. */
export type Bytes = Blob | ArrayBuffer | ArrayBufferView | Response | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * A file to send: a `File` or `Blob` (in Node `await fs.openAsBlob(path)`), bytes, a `Response` of fetch, or a stream such as
 * `fs.createReadStream(path)`. `{ name, data }` sets the file name; only the content determines the file type.
 */
export type Upload = Bytes | { name: string; data: Bytes };

/** FormData if the body has a file, else the same body for JSON. */
export async function formOf(body: Record<string, unknown>): Promise<FormData | Record<string, unknown>> {
  if (body.file == null) return body;
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    if (value == null) continue;
    if (name === "file") await appendFile(form, value as Upload);
    else if (Array.isArray(value)) for (const one of value) form.append(name.endsWith("[]") ? name : `${name}[]`, String(one));
    else form.append(name, typeof value === "object" ? JSON.stringify(value) : String(value as string));
  }
  return form;
}

async function appendFile(form: FormData, upload: Upload): Promise<void> {
  const named = "name" in upload && "data" in upload;
  const blob = await blobOf(named ? upload.data : upload);
  if (named) form.append("file", blob, upload.name);
  else form.append("file", blob, blob instanceof File ? blob.name : "file");
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
