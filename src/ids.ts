// Creates identifiers and formats them for callers. They are created here and not in the database, so that a request's id is
// known before anything is written and a retry has the same one.
import { randomFillSync } from "node:crypto";

/** The last id's millisecond and count, so that ids of one process sort as they were made, also within a millisecond. */
let last = { ms: 0, count: 0 };
/** The last id, written in place: to join ten pieces, with a division for each digit of the large ones, took five times as long. */
const written = Buffer.alloc(36, "-");
/** The millisecond that its first two groups say. */
let writtenMs = -1;

/** A clock that is set back by more than this had been ahead: ids must not keep its wrong time until the process ends. */
const leapMs = 60_000;

/** UUID version 7 (RFC 9562, method 1: a 12-bit counter follows the milliseconds). */
export function uuidv7(at: Date): string {
  const now = at.getTime();
  if (last.ms - now > leapMs) last = { ms: 0, count: 0 };
  const ms = Math.max(now, last.ms);
  // A new millisecond's counter begins in the lower half, so that 2,048 more ids fit before the time must be advanced.
  last = ms > last.ms ? { ms, count: random32() & 0x7ff } : last.count < 0xfff ? { ms, count: last.count + 1 } : { ms: ms + 1, count: 0 };
  if (writtenMs !== last.ms) {
    const low = last.ms % 0x10000;
    writeHex((last.ms - low) / 0x10000, 0, 8);
    writeHex(low, 9, 4);
    writtenMs = last.ms;
  }
  const high = random32();
  writeHex(0x7000 | last.count, 14, 4);
  writeHex(0x8000 | (high & 0x3fff), 19, 4);
  writeHex(high >>> 16, 24, 4);
  writeHex(random32(), 28, 8);
  return written.toString("latin1");
}

/** Randomness for some hundred ids: the kernel takes 8 us each time it is asked, and node writes a UUID in twenty pieces. */
const pool = new Uint32Array(1_024);
let used = pool.length;

function random32(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool[used++]!;
}

const hexDigits = Buffer.from("0123456789abcdef");

/** Into the id that is being written; `number` has at most 32 bits. */
function writeHex(number: number, from: number, digits: number): void {
  let left = number;
  for (let at = from + digits - 1; at >= from; at -= 1) {
    written[at] = hexDigits[left & 0xf]!;
    left >>>= 4;
  }
}

/** Of the gateway's own, for a request that brings none. Its time says in which month of the usage log it is. */
export function newRequestId(at: Date): string {
  return `req_${uuidHex(uuidv7(at))}`;
}

/** Milliseconds since 1970; null for an id without a time, such as a caller's own. */
export function timeOfRequestId(id: string): number | null {
  const digits = /^req_([0-9a-f]{12})7[0-9a-f]{3}[89ab][0-9a-f]{15}$/.exec(id)?.[1];
  return digits === undefined ? null : Number.parseInt(digits, 16);
}

export function accountIdText(id: bigint): string {
  return `acc_${id}`;
}

/** An account's id as shown, or its bare number; undefined for anything else. */
export function parseAccountId(text: string): bigint | undefined {
  const digits = /^(?:acc_)?([1-9]\d{0,18})$/.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const id = BigInt(digits);
  return id <= 9_223_372_036_854_775_807n ? id : undefined;
}

export function keyIdText(id: bigint): string {
  return `key_${id}`;
}

/** Undefined: no id of a key. */
export function parseKeyId(text: string): bigint | undefined {
  const digits = /^key_([1-9]\d{0,17})$/.exec(text)?.[1];
  return digits === undefined ? undefined : BigInt(digits);
}

/** The 32 hex digits of a UUID, as ids are shown. */
export function uuidHex(uuid: string): string {
  return uuid.replaceAll("-", "");
}

/** Undefined: not 32 hex digits. */
export function parseUuidHex(hex: string): string | undefined {
  const parts = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(hex);
  return parts?.slice(1).join("-");
}

/** Of no row. */
export const noUuid = "00000000-0000-0000-0000-000000000000";

interface UuidIds {
  /** The prefix and the UUID's hex digits. */
  text(uuid: string): string;
  /** The UUID; undefined for anything else. */
  parse(text: string): string | undefined;
}

/** Ids that tell neither how many there are nor when a row was made. */
export function uuidIds(prefix: string): UuidIds {
  return {
    text: (uuid) => prefix + uuidHex(uuid),
    parse: (text) => (text.startsWith(prefix) ? parseUuidHex(text.slice(prefix.length)) : undefined),
  };
}

/** Of the account's UUID. */
export const { text: workspaceIdText, parse: parseWorkspaceId } = uuidIds("ws_");

/** Of the UUID of the person's own account. */
export const { text: userIdText, parse: parseUserId } = uuidIds("usr_");

export const { text: webhookIdText, parse: parseWebhookId } = uuidIds("whk_");

export const { text: invitationIdText, parse: parseInvitationId } = uuidIds("inv_");

export const { text: domainIdText, parse: parseDomainId } = uuidIds("dom_");

/** A session as shown: not its token, from which nothing of it follows. */
export const { text: sessionIdText, parse: parseSessionId } = uuidIds("ses_");

/** A top-up's UUID is also the id of its ledger entry. */
export const { text: topupIdText, parse: parseTopupId } = uuidIds("top_");

export const { text: batchIdText, parse: parseBatchId } = uuidIds("batch_");

/** As its ledger entry names it, too. */
export const { text: voucherIdText, parse: parseVoucherId } = uuidIds("vou_");

export const { parse: parseResponseId } = uuidIds("resp_");

export const { text: fileIdText, parse: parseFileId } = uuidIds("file-");

const shownCharacters = 200;

/** For a message: an id that a caller sends may be as long as a body. */
export function cutId(id: string): string {
  return id.length > shownCharacters ? `${id.slice(0, shownCharacters)}…` : id;
}
