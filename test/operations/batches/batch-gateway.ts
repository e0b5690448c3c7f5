// Files and batches for tests: uploads as a form, batches from lines, and the end of a batch.
import { expect } from "vitest";
import { eventually } from "../../support/eventually.ts";
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

export async function upload(
  gateway: Pick<Gateway, "request">,
  { key }: Pick<TestAccount, "key">,
  text: string,
  name?: string,
): Promise<FileObject> {
  const { body, type } = await fileForm(text, name);
  const reply = await gateway.request("POST", "/v1/files", { key, body, headers: { "content-type": type } });
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.json as FileObject;
}

/** Of the requests of one endpoint, a line each, with the ids `r0`, `r1` and so on. */
export function linesFor(url: string, bodies: readonly object[]): string {
  return bodies.map((body, at) => `${JSON.stringify({ custom_id: `r${at}`, method: "POST", url, body })}\n`).join("");
}

export interface BatchObject {
  id: string;
  status: string;
  errors: { data: { code: string; line: number | null; param: string | null }[] } | null;
  output_file_id: string | null;
  error_file_id: string | null;
  request_counts: { total: number; completed: number; failed: number };
  [more: string]: unknown;
}

type Asking = Pick<Gateway, "request">;

export async function createBatch(
  gateway: Asking,
  account: Pick<TestAccount, "key">,
  endpoint: string,
  text: string,
): Promise<BatchObject> {
  const { id } = await upload(gateway, account, text);
  const body = { input_file_id: id, endpoint, completion_window: "24h" };
  const reply = await gateway.request("POST", "/v1/batches", { key: account.key, body });
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.json as BatchObject;
}

const final = ["failed", "completed", "expired", "cancelled"];

export function ended(gateway: Asking, { key }: Pick<TestAccount, "key">, { id }: Pick<BatchObject, "id">): Promise<BatchObject> {
  return eventually(async () => {
    const batch = (await gateway.request("GET", `/v1/batches/${id}`, { key })).json as BatchObject;
    if (!final.includes(batch.status)) throw new Error(`it is ${batch.status}`);
    return batch;
  });
}

/** Once so many of its lines are answered. */
export function completed(
  gateway: Asking,
  { key }: Pick<TestAccount, "key">,
  { id }: Pick<BatchObject, "id">,
  count: number,
): Promise<void> {
  return eventually(async () => {
    const { json } = await gateway.request("GET", `/v1/batches/${id}`, { key });
    expect(json.request_counts.completed).toBe(count);
  });
}

export const uuidOf = ({ id }: Pick<BatchObject, "id">): string => id.slice("batch_".length);

/** As if its process had died: the runner notices that it lost the lease, and takes the batch again. */
export async function takeOver({ context }: Pick<Gateway, "context">, batch: Pick<BatchObject, "id">, more = ""): Promise<void> {
  await context.db.pool.query(`update batch set lease_owner = gen_random_uuid(), lease_until = null${more} where id = $1`, [uuidOf(batch)]);
}

export interface Result {
  custom_id: string;
  response: { status_code: number; request_id: string; body: any } | null;
  error: { code: string; message: string } | null;
}

/** The lines of a batch's file; none where there is no file. */
export async function resultsOf(gateway: Asking, { key }: Pick<TestAccount, "key">, fileId: string | null): Promise<Result[]> {
  if (fileId === null) return [];
  const { status, text } = await gateway.request("GET", `/v1/files/${fileId}/content`, { key });
  if (status !== 200) throw new Error(text);
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Result);
}
