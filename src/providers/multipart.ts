// A form with files, as RFC 7578 and the WHATWG write it.
import { randomUUID } from "node:crypto";

export type FormPart = { name: string; text: string } | { name: string; fileName: string; contentType: string; bytes: Buffer };

export function multipartForm(parts: readonly FormPart[]): { body: Buffer; contentType: string } {
  const boundary = `form-${randomUUID()}`;
  const pieces = parts.flatMap((part) => {
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${escaped(part.name)}"`;
    if ("text" in part) return [Buffer.from(`${head}\r\n\r\n${part.text}\r\n`)];
    const fileHead = `${head}; filename="${escaped(part.fileName)}"\r\ncontent-type: ${part.contentType}\r\n\r\n`;
    return [Buffer.from(fileHead), part.bytes, Buffer.from("\r\n")];
  });
  const body = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
  return { body, contentType: `multipart/form-data; boundary=${boundary}` };
}

function escaped(name: string): string {
  return name.replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/"/g, "%22");
}
