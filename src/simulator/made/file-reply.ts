// The answer that brings a made file, and everything that may be wrong with it; the same in every protocol that shows addresses.
import { type Directives, patterns } from "../directive-list.ts";
import type { FileReply, Plan, WholeReply } from "../protocol.ts";

interface ServedFile {
  bytes: Buffer;
  contentType: string;
}

const typesByWord: Record<(typeof patterns.fileAs.words)[number], string | null> = {
  octets: "application/octet-stream",
  text: "text/plain",
  html: "text/html",
  jpeg: "image/jpeg",
  svg: "image/svg+xml",
  mp4: "video/mp4",
  mp3: "audio/mpeg",
  none: null,
};
const page = Buffer.from("<!doctype html><html><head><title>Expired</title></head><body>This link has expired.</body></html>\n");
/** An address that no gateway may follow: the metadata service of cloud hosts. */
const privateAddress = "http://169.254.169.254/latest/meta-data/";
const pieceBytes = 64 * 1024;

/** `hop` is how many redirects led here, `here` the file's own address, `model` what the record of calls names. */
export function planFile(file: ServedFile, directives: Directives, model: string, at: { hop: number; here: string }): Plan {
  const sending: Directives = {
    ...(directives.fileSlowMs === undefined ? {} : { slowMs: directives.fileSlowMs }),
    ...(directives.fileHang ? { hang: 1 } : {}),
    ...(directives.fileCut ? { cutAfter: 1 } : {}),
  };
  const reply = replyOf(file, directives, at);
  return { model, directives: sending, reply, bytes: 0 };
}

function replyOf(file: ServedFile, directives: Directives, { hop, here }: { hop: number; here: string }): WholeReply | FileReply {
  if (directives.filePrivate) return redirect(privateAddress);
  if (hop < (directives.fileRedirect ?? 0)) return redirect(`${here}?hop=${hop + 1}`);
  if (directives.fileFail !== undefined) return plainReply(directives.fileFail, "text/plain", Buffer.from("No such file.\n"));
  const bytes = contentOf(file, directives);
  const named = directives.fileHtml ? "text/html; charset=utf-8" : file.contentType;
  const contentType = directives.fileAs === undefined ? named : typesByWord[patterns.fileAs.words[directives.fileAs]!];
  const length = Math.max(bytes.length, directives.fileBytes ?? 0);
  const headers: Record<string, string> = {
    ...(contentType === null ? {} : { "content-type": contentType }),
    ...(directives.fileNoLength ? {} : { "content-length": String(length) }),
  };
  if (length === bytes.length) return { kind: "whole", status: 200, headers, body: bytes };
  return { kind: "file", status: 200, headers, pieces: () => padded(bytes, length) };
}

function contentOf(file: ServedFile, directives: Directives): Buffer {
  if (directives.fileEmpty) return Buffer.alloc(0);
  const bytes = directives.fileHtml ? page : file.bytes;
  return directives.fileHalf ? bytes.subarray(0, Math.floor(bytes.length / 2)) : bytes;
}

/** Zeros after the file's end, which decoders leave alone. */
function* padded(bytes: Buffer, length: number): Iterable<Buffer> {
  yield bytes;
  const zeros = Buffer.alloc(pieceBytes);
  for (let left = length - bytes.length; left > 0; left -= pieceBytes) yield zeros.subarray(0, Math.min(left, pieceBytes));
}

function redirect(location: string): WholeReply {
  return { kind: "whole", status: 302, headers: { location, "content-length": "0" }, body: Buffer.alloc(0) };
}

function plainReply(status: number, contentType: string, body: Buffer): WholeReply {
  return { kind: "whole", status, headers: { "content-type": contentType, "content-length": String(body.length) }, body };
}
