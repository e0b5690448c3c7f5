// Reads the words of a command line: accounts and amounts of money.
import { findAccount, type AccountRecord, Refused } from "../accounts/admin.ts";
import type { Db } from "../db/connect.ts";
import { type Amount, parseUsd } from "../money.ts";
import { UsageError } from "./command.ts";

/** Above this a balance is no longer exact as a JSON number (src/money.ts). */
const amountMax: Amount = parseUsd("60000000") as Amount;

/** A figure of more digits than any amount has is as far out of bounds as the largest that can be read. */
const readUsd = (text: string) => parseUsd(text.replace(/^(-?)\d{13,}(?=\.|$)/, "$1999999999999"));

export function readAmount(text: string, name: string): Amount {
  const amount = readUsd(text);
  if (amount !== undefined && amount <= 0n) throw new UsageError(`${name} must be above 0, not "${text}": this only adds money`);
  return readBudget(text, name);
}

/** 0 is a valid budget: such a key may call only what is free. */
export function readBudget(text: string, name: string): Amount {
  const amount = readUsd(text);
  if (amount !== undefined && amount < 0n) throw new UsageError(`${name} must not be below 0, but is "${text}"`);
  if (amount === undefined) throw new UsageError(`${name} must be an amount in USD with at most 8 decimals, not "${text}"`);
  if (amount > amountMax) throw new UsageError(`${name} must be at most 60000000, not "${text}"`);
  return amount;
}

/** Above or below 0. */
export function readSignedAmount(text: string, name: string): Amount {
  const amount = readBudget(text.replace(/^[+-]/, ""), name);
  if (amount === 0n) throw new UsageError(`${name} must not be 0`);
  return text.startsWith("-") ? -amount : amount;
}

export function readWholeNumber(text: string, name: string, min: number, max: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw new UsageError(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
  return value;
}

export function readTimeToCome(text: string, name: string, now: Date): Date {
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (!(time > now)) throw new UsageError(`${name} must be a time in the future, such as 2027-01-31, not "${text}"`);
  return time;
}

/** By its id or its email address. */
export async function readAccount(db: Db, text: string): Promise<AccountRecord> {
  const account = await findAccount(db, text);
  if (!account) throw new Refused(`no such account: ${text}`);
  return account;
}
