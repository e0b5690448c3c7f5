// Checks a signed receipt offline, with nothing but the gateway's public keys: signature, arithmetic, ledger entries and chain.
import { parseJson } from "../json/parse.ts";

/** What `usage.proof` returns, or the same read from a file. */
export interface ReceiptProofLike {
  jws: string;
  receipt?: unknown;
  chain_head?: unknown;
  chain?: { texts: string[]; complete: boolean };
}

/** A JWK set, as `/.well-known/jwks.json` has it. */
export interface KeySet {
  keys: { kid?: string; kty?: string; crv?: string; x?: string }[];
}

/** What was proved. */
export interface VerifiedReceipt {
  /** Address of the gateway that signed. */
  issuer: string;
  accountId: string;
  /** When it was signed, seconds since 1970. */
  signedAt: number;
  /** The key that signed it. */
  keyId: string;
  requestId: string;
  costUsd: number;
  /** The newest ledger entry when it was signed; null if the account had none. */
  head: { id: string; hash: string } | null;
  /** The entry up to which the chain was recomputed; null if the proof has no chain. */
  chainedTo: string | null;
}

interface Line {
  item: string;
  quantity: number;
  unit_price_usd: number;
  amount_usd: string;
}

interface Entry {
  id: string;
  type: string;
  amount_usd: number;
  balance_after: number;
  ref: string;
  hash: string;
}

interface Signed {
  iss: string;
  iat: number;
  account_id: string;
  receipt: {
    request_id: string;
    log: { cost_usd: number; type: string | null };
    usage: { estimated: boolean };
    charge: { lines: Line[]; sum_usd: string; rounded_usd: number; reserved_usd: number; cost_usd: number };
    ledger: Entry[];
  };
  chain_head: { id: string; hash: string } | null;
  links: { id: string; before: string; text: string }[];
}

/** Throws an Error whose message says what does not fit. */
export async function verifyReceipt(proof: ReceiptProofLike, keys: KeySet): Promise<VerifiedReceipt> {
  const { signed, keyId } = await openSigned(proof.jws, keys);
  const { receipt, chain_head: head } = signed;
  assertSame(proof.receipt, receipt, "receipt");
  assertSame(proof.chain_head, head, "chain_head");
  assertAddsUp(receipt);
  await assertEntries(signed);
  const chainedTo = proof.chain === undefined ? null : await followChain(proof.chain, signed);
  return {
    ...{ issuer: signed.iss, accountId: signed.account_id, signedAt: signed.iat, keyId },
    ...{ requestId: receipt.request_id, costUsd: receipt.charge.cost_usd, head, chainedTo },
  };
}

function refuse(sentence: string): never {
  throw new Error(sentence);
}

async function openSigned(jws: unknown, { keys }: KeySet): Promise<{ signed: Signed; keyId: string }> {
  const parts = typeof jws === "string" ? jws.split(".") : [];
  if (parts.length !== 3) refuse("jws is not a compact JWS: it needs three parts with dots between them.");
  const [header, payload, signature] = parts as [string, string, string];
  const { alg, kid, crit } = readPart(header, "header") as { alg?: string; kid?: string; crit?: unknown };
  if (alg !== "EdDSA" || crit !== undefined) refuse(`The JWS is signed with ${String(alg)}; receipts are signed with EdDSA alone.`);
  const key = keys.find((one) => one.kid === kid);
  if (key === undefined || kid === undefined) refuse(`The key ${String(kid)}, which signed the receipt, is not among the given keys.`);
  if (key.kty !== "OKP" || key.crv !== "Ed25519") refuse(`The key ${kid} is not an Ed25519 key.`);
  const { subtle } = crypto;
  const imported = await subtle.importKey("jwk", { kty: "OKP", crv: "Ed25519", x: key.x! }, "Ed25519", false, ["verify"]);
  const fits = await subtle.verify("Ed25519", imported, bytesOf(signature), utf8(`${header}.${payload}`));
  if (!fits) refuse(`The signature is not that of the key ${kid} for this receipt: something in it was changed.`);
  return { signed: readPart(payload, "payload") as Signed, keyId: kid };
}

function readPart(part: string, name: string): unknown {
  try {
    return parseJson(new TextDecoder().decode(bytesOf(part)));
  } catch {
    return refuse(`The JWS's ${name} is not JSON in base64url.`);
  }
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text));

/** What is there to be read must be what was signed; absent: nothing to compare. */
function assertSame(shown: unknown, signed: unknown, at: string): void {
  if (shown === undefined) return;
  if (isObject(shown) && isObject(signed)) {
    for (const key of new Set([...Object.keys(shown), ...Object.keys(signed)])) {
      const name = Array.isArray(signed) ? `${at}[${key}]` : `${at}.${key}`;
      if (!(key in shown)) refuse(`${name} is missing; what was signed has it.`);
      if (!(key in signed)) refuse(`${name} was not signed.`);
      assertSame(shown[key], signed[key], name);
    }
  } else if (shown !== signed) refuse(`${at} is ${JSON.stringify(shown)}, and what was signed says ${JSON.stringify(signed)}.`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

// The arithmetic, in integers of 1e-30 USD.

const decimals = 30;
const perMillion = new Set(["input", "cache_read", "cache_write", "cache_write_1h", "output"]);
const cent8 = 10n ** BigInt(decimals - 8);
const cent4 = 10n ** BigInt(decimals - 4);

function assertAddsUp({ charge, log, usage }: Signed["receipt"]): void {
  const { lines, sum_usd, rounded_usd, reserved_usd, cost_usd } = charge;
  let sum = 0n;
  for (const { item, quantity, unit_price_usd, amount_usd } of lines) {
    const product = (decimal(quantity) * decimal(unit_price_usd)) / 10n ** BigInt(decimals);
    const amount = perMillion.has(item) ? product / 1_000_000n : product;
    if (amount !== decimal(amount_usd))
      refuse(`The line ${item} says ${amount_usd} USD, and ${quantity} at ${unit_price_usd} is another amount.`);
    sum += amount;
  }
  if (sum !== decimal(sum_usd)) refuse(`The lines do not add up to ${sum_usd} USD.`);
  const step = log.type === "decisions" ? cent4 : cent8;
  if (decimal(rounded_usd) !== ((sum + step - 1n) / step) * step) refuse(`${sum_usd} USD rounded up is not ${rounded_usd} USD.`);
  const isCapped = usage.estimated && cost_usd === reserved_usd && decimal(cost_usd) < decimal(rounded_usd);
  if (cost_usd !== rounded_usd && cost_usd !== 0 && !isCapped)
    refuse(`${cost_usd} USD were charged, and the receipt adds up to ${rounded_usd} USD.`);
  if (log.cost_usd !== cost_usd) refuse(`The log says ${log.cost_usd} USD, and the charge ${cost_usd} USD.`);
}

/** Exact: a number's shortest text is what was written. */
function decimal(value: number | string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (match === null) return refuse(`${value} is not a number.`);
  const [, sign, whole, fraction = "", exponent = "0"] = match as unknown as [string, string, string, string?, string?];
  const shift = decimals - fraction.length + Number(exponent);
  const digits = BigInt(whole + fraction);
  const scaled = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return sign === "-" ? -scaled : scaled;
}

// The ledger: each entry hashes its text after the hash before it.

/** What the call itself did to the balance; a refund or a correction of it is shown, too. */
const chargeTypes = new Set(["usage", "hold", "hold_settle", "hold_release"]);

async function assertEntries({ receipt, links, account_id, chain_head: head }: Signed): Promise<void> {
  const { ledger, charge } = receipt;
  if (links.length !== ledger.length) refuse("Not every ledger entry of the receipt has its text.");
  let charged = 0n;
  for (const [index, entry] of ledger.entries()) {
    const { id, before, text } = links[index]!;
    if (id !== entry.id) refuse(`The text of ${entry.id} is that of ${id}.`);
    if ((await hashAfter(before, text)) !== entry.hash) refuse(`The hash of ${id} is not that of its text after the hash before it.`);
    assertText(text, entry, account_id);
    if (chargeTypes.has(entry.type)) charged -= decimal(entry.amount_usd);
    if (head === null || seqOf(id) > seqOf(head.id)) refuse(`${id} is after the chain's head.`);
    if (id === head.id && entry.hash !== head.hash) refuse(`The chain's head is ${id}, with another hash than the receipt's entry.`);
  }
  if (charged !== decimal(charge.cost_usd)) refuse(`The ledger entries do not charge ${charge.cost_usd} USD.`);
}

function assertText(text: string, entry: Entry, account: string): void {
  const [number, seq, , , , amount, ref, , balance] = text.split("\n").slice(-9);
  const units = (usd: number) => String(decimal(usd) / cent8);
  if (`acc_${number}` !== account) refuse(`${entry.id} is an entry of another account.`);
  if (`led_${seq}` !== entry.id || ref !== entry.ref) refuse(`The text of ${entry.id} is that of another entry.`);
  if (amount !== units(entry.amount_usd)) refuse(`The amount of ${entry.id} is not the one in its text.`);
  if (balance !== units(entry.balance_after)) refuse(`The balance after ${entry.id} is not the one in its text.`);
}

/** The last entry that follows from the receipt's first one. */
async function followChain({ texts, complete }: { texts: string[]; complete: boolean }, signed: Signed): Promise<string> {
  const { links, receipt, chain_head: head } = signed;
  const own = new Map(receipt.ledger.map(({ id, hash }) => [id, hash]));
  let hash = links[0]?.before ?? refuse("The proof has a chain, and the receipt no ledger entry.");
  let seq = seqOf(links[0]!.id) - 1;
  for (const text of texts) {
    seq += 1;
    const id = `led_${seq}`;
    if (text.split("\n").at(-8) !== String(seq)) refuse(`The chain lacks ${id}.`);
    hash = await hashAfter(hash, text);
    if (own.has(id) && own.get(id) !== hash) refuse(`${id} has another hash in the chain than in the receipt.`);
    own.delete(id);
  }
  const end = `led_${seq}`;
  if (!complete && own.size === 0) return end;
  if (own.size > 0) refuse(`The chain ends before ${[...own.keys()].join(", ")}.`);
  if (head?.id !== end || head.hash !== hash) refuse(`The chain leads to ${end} with the hash ${hash}, not to the head that was signed.`);
  return end;
}

const seqOf = (id: string): number => Number(id.slice("led_".length));

async function hashAfter(before: string, text: string): Promise<string> {
  const start = Uint8Array.from(before.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const own = utf8(text);
  const bytes = new Uint8Array(start.length + own.length);
  bytes.set(start);
  bytes.set(own, start.length);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
