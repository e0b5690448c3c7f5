// The form of API keys.
import fc from "fast-check";
import { expect, test } from "vitest";
import { digestOf, isKeyShaped, makeKey, maskedKey, parseMaskedKey } from "../../src/accounts/keys.ts";

test("a key is svc_ and 50 letters and digits, and no two are alike", () => {
  const keys = Array.from({ length: 500 }, makeKey);
  for (const key of keys) {
    expect(key.secret).toMatch(/^svc_[0-9A-Za-z]{50}$/);
    expect(isKeyShaped(key.secret)).toBe(true);
    expect(key.hash).toEqual(digestOf(key.secret));
    expect(key.hash).toHaveLength(32);
  }
  expect(new Set(keys.map((key) => key.secret)).size).toBe(keys.length);
});

test("a key with one character changed is refused without a database", () => {
  const { secret } = makeKey();
  const character = fc.constantFrom(..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_- é");
  fc.assert(
    fc.property(fc.integer({ min: 0, max: secret.length - 1 }), character, (at, other) => {
      fc.pre(secret[at] !== other);
      expect(isKeyShaped(secret.slice(0, at) + other + secret.slice(at + 1))).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

test.each(["", "svc_", "sk-123", `svcs_${"a".repeat(50)}`, `svc_${"a".repeat(50)}`, `${makeKey().secret}x`, ` ${makeKey().secret}`])(
  "%j is no key",
  (text) => {
    expect(isKeyShaped(text)).toBe(false);
  },
);

test("the masked form shows eight characters at most of the secret and reads back", () => {
  const key = makeKey();
  const masked = maskedKey(key);
  expect(masked).toBe(`${key.secret.slice(0, 8)}…${key.secret.slice(-4)}`);
  expect(parseMaskedKey(masked)).toEqual({ prefix: key.prefix, last4: key.last4 });
  expect(parseMaskedKey(key.secret)).toBeUndefined();
});
