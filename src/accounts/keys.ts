// API keys as text: how one is made, checked for typos, hashed and masked. src/accounts/accounts.ts finds the owner of one.
import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/** What the database stores of a key; the secret itself is shown once and stored nowhere. */
interface NewKey {
  secret: string;
  hash: Buffer;
  prefix: string;
  last4: string;
}

const start = "svc_";
/** 62^43 is just above 2^256. */
const secretDigits = 43;
/** The checksum refuses mistyped keys without a query, and lets secret scanners be sure. */
const checkDigits = 7;
const shape = new RegExp(`^${start}[0-9A-Za-z]{${secretDigits + checkDigits}}$`);

export function makeKey(): NewKey {
  const random = start + base62(BigInt(`0x${randomBytes(32).toString("hex")}`), secretDigits);
  const secret = random + checkOf(random);
  return { secret, hash: digestOf(secret), prefix: secret.slice(0, start.length + 4), last4: secret.slice(-4) };
}

export function isKeyShaped(text: string): boolean {
  return shape.test(text) && checkOf(text.slice(0, -checkDigits)) === text.slice(-checkDigits);
}

/** For keys and tokens: 256 random bits need no salt and no slow hash. */
export function digestOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

export function maskedKey({ prefix, last4 }: { prefix: string; last4: string }): string {
  return `${prefix}…${last4}`;
}

/** Masks everything that looks like a key, mistyped ones too, in a text to be printed; enough stays to recognise it. */
export function maskKeys(text: string): string {
  return text.replace(/(svc_[0-9A-Za-z]{4})[0-9A-Za-z]{16,}/g, "$1…");
}

/** Parses a masked form; three dots count as the ellipsis, which keyboards lack. */
export function parseMaskedKey(text: string): { prefix: string; last4: string } | undefined {
  const match = /^(svc_[0-9A-Za-z]{4})(?:…|\.\.\.)([0-9A-Za-z]{4})$/.exec(text);
  return match ? { prefix: match[1]!, last4: match[2]! } : undefined;
}

function checkOf(text: string): string {
  return base62(BigInt(crc32(text)), checkDigits);
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function base62(value: bigint, digits: number): string {
  let text = "";
  for (let rest = value; text.length < digits; rest /= 62n) text = alphabet[Number(rest % 62n)] + text;
  return text;
}
