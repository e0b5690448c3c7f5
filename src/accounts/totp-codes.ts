// Codes of authenticator apps (RFC 6238, with SHA-1, 6 digits and half minutes, which all apps know) and recovery codes. Pure but for
// random bytes.
import { createHash, createHmac, randomBytes } from "node:crypto";

const stepMs = 30_000;
const digits = 6;
/** Codes of this many steps before and after now are right, too: clocks differ, and typing takes time. */
const slack = 1;

export function newTotpSecret(): Buffer {
  return randomBytes(20);
}

export function stepAt(at: Date): number {
  return Math.floor(at.getTime() / stepMs);
}

/** RFC 4226 5.3. */
export function codeOfStep(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const offset = mac[mac.length - 1]! & 15;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits;
  return String(number).padStart(digits, "0");
}

/** The step whose code it is, after `lastStep`; undefined: no step has it. */
export function stepOfCode(secret: Buffer, code: string, { at, lastStep }: { at: Date; lastStep: number }): number | undefined {
  const now = stepAt(at);
  for (let step = Math.max(now - slack, lastStep + 1); step <= now + slack; step += 1) if (codeOfStep(secret, step) === code) return step;
  return undefined;
}

/** What apps read, usually from a QR code. */
export function otpauthUri(secret: Buffer, { issuer, email }: { issuer: string; email: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** RFC 4648 6, without padding: 5 bytes are 8 characters. */
export function base32(bytes: Buffer): string {
  let bits = 0n;
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte);
  const length = Math.ceil((bytes.length * 8) / 5);
  bits <<= BigInt(length * 5 - bytes.length * 8);
  return Array.from({ length }, (_, n) => alphabet[Number((bits >> BigInt(5 * (length - 1 - n))) & 31n)]).join("");
}

const recoveryCodes = 10;

/** 80 random bits each, which no number of guesses finds. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodes }, () =>
    base32(randomBytes(10))
      .toLowerCase()
      .replace(/(.{4})(?=.)/g, "$1-"),
  );
}

/** As people type it: spaces and hyphens do not count, nor does case. */
export function plainCode(typed: string): string {
  return typed.replaceAll(/[\s-]/g, "").toLowerCase();
}

export function hashOfRecoveryCode(code: string): Buffer {
  return createHash("sha256").update(plainCode(code)).digest();
}
