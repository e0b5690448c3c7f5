// Files and batches for tests: uploads as a form, batches from lines, and the end of a batch.
import { type Gateway, type TestAccount } from "../../support/gateway.ts";

export interface FileObject {
  id: string;
  bytes: number;
  created_at: number;
  expires_at: number;
  filename: string;
}

/** `text` null: without a file. */
export async function fileForm(
  text: string | null,
  name = "requests.jsonl",
  fields: Record<string, string> = { purpose: "batch" },
): Promise<{ body: Buffer; type: string }> {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  if (text !== null) form.append("file", new Blob([text]), name);
  const written = new Response(form);
  return { body: Buffer.from(await written.arrayBuffer()), type: written.headers.get("content-type")! };
}

export async function upload(gateway: Pick<Gateway, "request">, { key }: TestAccount, text: string, name?: string): Promise<FileObject> {
  const { body, type } = await fileForm(text, name);
  const reply = await gateway.request("POST", "/v1/files", { key, body, headers: { "content-type": type } });
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.json as FileObject;
}
