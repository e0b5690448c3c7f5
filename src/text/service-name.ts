// What pages and mails call the service: SVC_NAME and SVC_LOGO. What the console tells everyone: SVC_NOTICE. And who sells: SVC_INVOICE_SELLER.
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { isPdfText } from "./pdf.ts";

export interface Logo {
  /** As pages name it: with a hash of its bytes. */
  file: string;
  type: string;
  bytes: Buffer;
}

export interface ServiceName {
  /** Null: not set; pages say `Gateway` and the console `Console`. */
  name: string | null;
  logo: Logo | null;
}

export const unnamed = "Gateway";

/** Each page loads it. */
const bytesMax = 256 * 1024;

export function readServiceName(name: string | null, path: string | null): ServiceName {
  // No line breaks, and no signs that turn the text around them.
  if (name !== null && !/^[^\p{C}\p{Zl}\p{Zp}]{1,60}$/u.test(name)) throw new Error("SVC_NAME must be a line of 1 to 60 characters");
  return { name, logo: path === null ? null : readLogo(path) };
}

/** No line breaks, and no signs that turn the text around them. */
export function isNotice(text: string): boolean {
  return /^[^\p{C}\p{Zl}\p{Zp}]{0,300}$/u.test(text);
}

export function readNotice(text: string | null): string | null {
  if (text !== null && !isNotice(text)) throw new Error("SVC_NOTICE must be a line of 1 to 300 characters");
  return text;
}

/** So many lines, of so many characters, fit beside their label on a page of an invoice. */
const [sellerLines, sellerWidth] = [10, 70];

/** Lines with | between them: addresses have commas. */
export function readSeller(text: string | null): string[] | null {
  if (text === null) return null;
  const lines = text.split("|").map((line) => line.trim());
  if (lines.length > sellerLines || !lines.every((line) => line !== "" && line.length <= sellerWidth && isPdfText(line)))
    throw new Error(
      `SVC_INVOICE_SELLER must be 1 to ${sellerLines} lines with | between them, each of 1 to ${sellerWidth} letters of Latin 1, such as Acme AI GmbH|Street 1|10115 Berlin|VAT DE123456789`,
    );
  return lines;
}

function readLogo(path: string): Logo {
  const wrong = `SVC_LOGO must be the path of an SVG, PNG, JPEG or WebP file of at most ${bytesMax / 1024} KiB`;
  let bytes: Buffer;
  try {
    const { size } = statSync(path);
    if (size > bytesMax) throw new Error(`it has ${size} bytes`);
    bytes = readFileSync(path);
  } catch (cause) {
    throw new Error(`${wrong}; "${path}" can't be read`, { cause });
  }
  const kind = kinds.find(({ is }) => is(bytes));
  if (kind === undefined) throw new Error(`${wrong}; "${path}" is another kind of file`);
  return { file: `logo-${createHash("sha256").update(bytes).digest("hex").slice(0, 10)}.${kind.ending}`, type: kind.type, bytes };
}

const startsWith = (hex: string) => (bytes: Buffer) => bytes.subarray(0, hex.length / 2).toString("hex") === hex;

/** By their bytes: a name says nothing of them. */
const kinds: readonly { ending: string; type: string; is: (bytes: Buffer) => boolean }[] = [
  { ending: "png", type: "image/png", is: startsWith("89504e470d0a1a0a") },
  { ending: "jpg", type: "image/jpeg", is: startsWith("ffd8ff") },
  { ending: "webp", type: "image/webp", is: (bytes) => /^RIFF[^]{4}WEBP/.test(bytes.toString("latin1", 0, 12)) },
  { ending: "svg", type: "image/svg+xml", is: (bytes) => /^\uFEFF?(?:\s|<[?!][^>]*>)*<svg[\s>]/.test(bytes.toString("utf8")) },
];

/** Of an SVG, which may hold scripts: as an image it runs none anyway, and with these headers none where it is opened by itself. */
export const harmlessPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
