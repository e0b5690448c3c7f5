// Identifiers as they are made and shown.
import { expect, test } from "vitest";
import { accountIdText, keyIdText, parseAccountId, parseKeyId, parseUuidHex, uuidHex, uuidv7 } from "../../src/ids.ts";

test("ids sort as they were made, also within one millisecond and when the clock steps back", () => {
  const now = new Date("2026-11-21T10:00:00.123Z");
  const ids = [
    ...Array.from({ length: 10_000 }, () => uuidv7(now)),
    uuidv7(new Date(now.getTime() - 5000)),
    uuidv7(new Date(now.getTime() + 60_000)),
  ];
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("an id begins with its time", () => {
  const at = new Date("2036-01-01T00:00:00Z");
  expect(Number.parseInt(uuidv7(at).replaceAll("-", "").slice(0, 12), 16)).toBe(at.getTime());
});

test("a clock that leapt ahead and came back dates ids right again", () => {
  const msOf = (id: string) => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
  const now = new Date("2026-11-21T10:00:00Z");
  expect(msOf(uuidv7(new Date("2040-01-01T00:00:00Z")))).toBe(Date.parse("2040-01-01T00:00:00Z"));
  expect(msOf(uuidv7(now))).toBe(now.getTime());
  expect(msOf(uuidv7(new Date(now.getTime() - 1_000)))).toBe(now.getTime());
});

test("accounts are acc_ and a number outside; the bare number is read too", () => {
  expect(accountIdText(12n)).toBe("acc_12");
  expect(parseAccountId("acc_12")).toBe(12n);
  expect(parseAccountId("12")).toBe(12n);
});

test.each(["", "acc_", "acc_0", "0", "-1", "acc_1x", "key_1", "9223372036854775808", "99999999999999999999"])(
  "%j is no account",
  (text) => {
    expect(parseAccountId(text)).toBeUndefined();
  },
);

test("keys are key_ and a number outside, a UUID its hex digits; both read back", () => {
  expect([keyIdText(12n), parseKeyId("key_12")]).toEqual(["key_12", 12n]);
  for (const text of ["", "12", "key_", "key_0", "key_01", "key_x", "acc_1", `key_${"9".repeat(19)}`])
    expect(parseKeyId(text)).toBeUndefined();
  const id = uuidv7(new Date());
  expect(parseUuidHex(uuidHex(id))).toBe(id);
  for (const text of ["", id, uuidHex(id).slice(1), `${uuidHex(id)}0`]) expect(parseUuidHex(text)).toBeUndefined();
});
