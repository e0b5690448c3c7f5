// A process of its own for its test: takes a form with a file of 190 MB, which a larger limit allows here, client and server in one, and says by
// how many bytes its peak memory rose.
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { operations } from "../../generated/operations.ts";
import { auth, json, startEdge } from "./start-edge.ts";

Object.assign(operations.createTranscription, { form: { fileMax: 200 * 1024 * 1024, files: [{ name: "file", many: false }], fields: [] } });
const filesFolder = mkdtempSync(join(tmpdir(), "svc-media-"));
const edge = await startEdge({ handlers: { createTranscription: () => json({ text: "" }) }, filesFolder });
const peak = () => process.resourceUsage().maxRSS * 1024;

await upload(16);
const before = peak();
await upload(190);
process.stdout.write(`${peak() - before}\n`);
await edge.close(200);
rmSync(filesFolder, { recursive: true });

async function upload(megabytes: number): Promise<void> {
  const start = Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n');
  const end = Buffer.from("\r\n--b--\r\n");
  const piece = Buffer.alloc(65_536, "x");
  const length = start.length + megabytes * 1024 * 1024 + end.length;
  const socket = connect(edge.port, "127.0.0.1");
  const answered = new Promise<string>((resolve) => socket.once("data", (chunk) => resolve(chunk.toString())));
  const write = (bytes: Buffer | string) => new Promise((resolve) => socket.write(bytes, resolve));
  const type = "content-type: multipart/form-data; boundary=b";
  await write(
    `POST /v1/audio/transcriptions HTTP/1.1\r\nhost: e\r\nauthorization: ${auth.authorization}\r\n${type}\r\ncontent-length: ${length}\r\n\r\n`,
  );
  await write(start);
  for (let sent = 0; sent < megabytes * 16; sent++) await write(piece);
  await write(end);
  if (!(await answered).startsWith("HTTP/1.1 200")) throw new Error(await answered);
  socket.destroy();
}
