// Passwords: hashed with argon2id in the thread pool, stored in the PHC format, which names its own parameters, so that they may change. Few at
// a time: each takes 19 MiB and a core for some 40 ms.
import { argon2, type Argon2Parameters, randomBytes, timingSafeEqual } from "node:crypto";
import { type Asker, openHashQueue } from "./hash-queue.ts";

interface Cost {
  /** In KiB. */
  memory: number;
  passes: number;
  parallelism: number;
}

/** OWASP's first choice for argon2id. */
const cost: Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagBytes = 32;

export async function hashPassword(password: string, asker: Omit<Asker, "ghost"> = {}): Promise<string> {
  const salt = randomBytes(saltBytes);
  const tag = await queue.run(() => derive(password, { ...cost, nonce: salt, tagLength: tagBytes }), asker);
  return phcText(salt, tag as Buffer); // undefined for ghosts only
}

/**
 * `stored` is null for an account without a password and for no account: false, after the same time. The work is done then too, unless others
 * would have to wait for it.
 */
export async function verifyPassword(password: string, stored: string | null, asker: Omit<Asker, "ghost"> = {}): Promise<boolean> {
  const { tag, ...parameters } = parsePhc(stored ?? unknownHash);
  const work = () => derive(password, { ...parameters, tagLength: tag.length });
  const found = await queue.run(work, { ...asker, ghost: stored === null });
  return found !== undefined && timingSafeEqual(found, tag) && stored !== null;
}

function phcText(salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

/** A random hash, for which no password is known. */
const unknownHash = phcText(randomBytes(saltBytes), randomBytes(tagBytes));

function parsePhc(text: string): Cost & { nonce: Buffer; tag: Buffer } {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(text);
  if (!match) throw new Error("a stored password has an unknown format");
  const [, memory, passes, parallelism, salt, tag] = match as unknown as string[];
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(salt!, "base64"),
    tag: Buffer.from(tag!, "base64"),
  };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}

/** NFKC makes the same password typed on another keyboard or system the same bytes. */
function derive(password: string, parameters: Omit<Argon2Parameters, "message">): Promise<Buffer> {
  const message = Buffer.from(password.normalize("NFKC"));
  return new Promise((resolve, reject) =>
    argon2("argon2id", { ...parameters, message }, (error, tag) => (error ? reject(error) : resolve(tag))),
  );
}

/** Half of the thread pool; the other half resolves names and reads files meanwhile. */
const runningMax = 2;
/** The last of them waits about two seconds; further callers are told to retry. */
const waitingMax = 64;
const queue = openHashQueue(runningMax, waitingMax);
