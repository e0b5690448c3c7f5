// Passwords: argon2id in the thread pool, kept in the PHC form, which names its own parameters, so that they may change. A bounded
// number at a time: each takes 19 MiB and a core for some 40 ms.
import { argon2, type Argon2Parameters, randomBytes, timingSafeEqual } from "node:crypto";
import { type Asker, openTurns } from "./hash-queue.ts";

interface Cost {
  /** KiB. */
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
  const tag = await turns.inTurn(() => derive(password, { ...cost, nonce: salt, tagLength: tagBytes }), asker);
  return phcText(salt, tag as Buffer); // no ghost's
}

/**
 * Null, an account without a password or no account at all, is always false after the same time. It takes the same work where that keeps
 * nobody waiting.
 */
export async function verifyPassword(password: string, stored: string | null, asker: Omit<Asker, "ghost"> = {}): Promise<boolean> {
  const { tag, ...parameters } = parsePhc(stored ?? nobodys);
  const work = () => derive(password, { ...parameters, tagLength: tag.length });
  const found = await turns.inTurn(work, { ...asker, ghost: stored === null });
  return found !== undefined && timingSafeEqual(found, tag) && stored !== null;
}

function phcText(salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

/** No password belongs to it. */
const nobodys = phcText(randomBytes(saltBytes), randomBytes(tagBytes));

function parsePhc(text: string): Cost & { nonce: Buffer; tag: Buffer } {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(text);
  if (!match) throw new Error("a stored password has a form that is not known");
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

/** NFKC: the same password typed on another keyboard or system is the same bytes. */
function derive(password: string, parameters: Omit<Argon2Parameters, "message">): Promise<Buffer> {
  const message = Buffer.from(password.normalize("NFKC"));
  return new Promise((resolve, reject) =>
    argon2("argon2id", { ...parameters, message }, (error, tag) => (error ? reject(error) : resolve(tag))),
  );
}

/** Half of the thread pool, whose other half looks up names and reads files meanwhile. */
const runningMax = 2;
/** The last of them waits some two seconds; a caller beyond is told to come back. */
const waitingMax = 64;
const turns = openTurns(runningMax, waitingMax);
