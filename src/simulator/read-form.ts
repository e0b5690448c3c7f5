// A multipart form that was sent: its fields as texts, its files in memory, and both as the record of calls shows them.
import type { SentPart } from "./protocol.ts";
import { refuse } from "./refused.ts";

export interface SentFile {
  /** Of the field. */
  name: string;
  fileName: string;
  contentType: string;
  bytes: Buffer;
}

export interface SentForm {
  /** In the order in which they came; a name may come again. */
  fields: readonly (readonly [string, string])[];
  files: readonly SentFile[];
  parts: readonly SentPart[];
}

/** By the platform's own reader of forms; refuses a body that is none. */
export async function readForm(body: Buffer, contentType: string): Promise<SentForm> {
  const fields: [string, string][] = [];
  const files: SentFile[] = [];
  const parts: SentPart[] = [];
  for (const [name, value] of await parse(body, contentType)) {
    if (typeof value === "string") {
      fields.push([name, value]);
      parts.push({ name, text: value, fileName: null, contentType: null, bytes: Buffer.byteLength(value) });
      continue;
    }
    parts.push({ name, text: null, fileName: value.name, contentType: value.type, bytes: value.size });
    files.push({ name, fileName: value.name, contentType: value.type, bytes: Buffer.from(await value.arrayBuffer()) });
  }
  return { fields, files, parts };
}

async function parse(body: Buffer, contentType: string): Promise<FormData> {
  if (!contentType.toLowerCase().startsWith("multipart/form-data")) {
    refuse(null, "Unsupported content type: expected 'multipart/form-data'.", "unsupported_content_type");
  }
  try {
    return await new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData();
  } catch {
    refuse(null, "We could not parse your multipart form.");
  }
}
