// Passwords: what is kept, what verifies, and what the kept form says about its own parameters.
import { describe, expect, test } from "vitest";
import { hashPassword, verifyPassword } from "../../src/accounts/passwords.ts";
import { argon2Runs } from "../support/sign-in.ts";

describe("a password", () => {
  test("verifies against its own hash alone, which is salted and names its parameters", async () => {
    const [one, two] = [await hashPassword("correct horse"), await hashPassword("correct horse")];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.toBe(two);
    expect(await verifyPassword("correct horse", one)).toBe(true);
    for (const wrong of ["correct horse ", "Correct horse", "", "x".repeat(200)]) expect(await verifyPassword(wrong, one)).toBe(false);
  });

  test("is the same in every Unicode form that looks the same", async () => {
    expect(await verifyPassword("ﬁre\u0301", await hashPassword("fir\u00e9"))).toBe(true);
  });

  test("kept with other parameters verifies by those", async () => {
    // Of the reference implementation's own tests.
    const kept = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
    expect(await verifyPassword("password", kept)).toBe(true);
    expect(await verifyPassword("passwort", kept)).toBe(false);
  });

  test("is never right without an account, and takes the same work", async () => {
    expect(await argon2Runs(async () => expect(await verifyPassword("correct horse", null)).toBe(false))).toBe(1);
  });

  test("an unknown stored format is a fault, not a wrong password", async () => {
    await expect(verifyPassword("correct horse", "$2b$10$abc")).rejects.toThrow("unknown format");
  });
});

test("66 at a time run or wait; more are refused as overloaded, and later ones are accepted again", async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 70 }, () => hashPassword("correct horse")));
  expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBe(66);
  for (const outcome of outcomes.slice(66)) expect(outcome).toMatchObject({ status: "rejected", reason: { code: "overloaded" } });
  await expect(hashPassword("correct horse")).resolves.toBeTypeOf("string");
});
