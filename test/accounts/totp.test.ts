// Codes of authenticator apps as RFC 6238 computes them, and how they are typed.
import { expect, test } from "vitest";
import { base32, codeOfStep, newRecoveryCodes, otpauthUri, plainCode, stepAt, stepOfCode } from "../../src/accounts/totp.ts";

const secret = Buffer.from("12345678901234567890");

test.each([
  [59, "287082"],
  [1111111109, "081804"],
  [1111111111, "050471"],
  [1234567890, "005924"],
  [2000000000, "279037"],
  [20000000000, "353130"],
])("second %d has the code of RFC 6238, appendix B: %s", (second, code) => {
  expect(codeOfStep(secret, stepAt(new Date(second * 1000)))).toBe(code);
});

test("a code counts half a minute before and after, and no step that is used or older", () => {
  const at = new Date(1111111109_000);
  const now = stepAt(at);
  const stepOf = (step: number, lastStep = 0) => stepOfCode(secret, codeOfStep(secret, step), { at, lastStep });
  expect([-2, -1, 0, 1, 2].map((n) => stepOf(now + n))).toEqual([undefined, now - 1, now, now + 1, undefined]);
  expect([now - 1, now, now + 1].map((step) => stepOf(step, now))).toEqual([undefined, undefined, now + 1]);
});

test("base 32 is that of RFC 4648, and apps read the URI", () => {
  expect(["f", "fo", "foo", "foob", "fooba", "foobar"].map((text) => base32(Buffer.from(text)))).toEqual(
    ["MY", "MZXQ", "MZXW6", "MZXW6YQ", "MZXW6YTB", "MZXW6YTBOI"], // prettier-ignore
  );
  expect(otpauthUri(secret, { issuer: "gateway.example.com", email: "ada+x@example.com" })).toBe(
    "otpauth://totp/gateway.example.com:ada%2Bx%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=gateway.example.com",
  );
});

test("recovery codes are ten different ones, typed in any case, with or without hyphens", () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
  expect(plainCode(" ABCD-efgh 2345-6789 ")).toBe("abcdefgh23456789");
});
