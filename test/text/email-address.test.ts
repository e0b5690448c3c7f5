// One rule for what an email address is.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { domainOf, emailPattern, isDomain, isEmailAddress, isNewEmail, mailboxOf } from "../../src/text/email-address.ts";

interface Document {
  components: { schemas: { Email: { pattern: string; maxLength: number }; NewEmail: { pattern: string } } };
}

const { Email, NewEmail } = (JSON.parse(readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8")) as Document)
  .components.schemas;

test("it is the contract's", () => {
  expect(emailPattern.source.replaceAll("\\/", "/")).toBe(Email.pattern); // a literal may escape it
  const longest = `${"a".repeat(Email.maxLength - 4)}@b.c`;
  expect([isEmailAddress(longest), isEmailAddress(`a${longest}`)]).toEqual([true, false]);
});

test.each(["ada@example.com", "Ada+x@example", "a@xn--bcher-kva.example", "a'b@c.d"])("%j is one", (text) => {
  expect(isEmailAddress(text)).toBe(true);
});

test.each([
  "",
  "ada",
  "@b",
  "a@",
  "a@b@c",
  "a b@c",
  "a,b@c",
  "<a@b>",
  "a@b\r\nBcc: c@d",
  "a\u0000@b",
  "a@b\u0085",
  "ä@b",
  "second@gmaİl.com",
])("%j is none", (text) => {
  expect(isEmailAddress(text)).toBe(false);
});

test.each<[domain: string, isOne: boolean]>([
  ["example.com", true],
  ["EXAMPLE.Com", true],
  ["1.example.com", true],
  ["xn--bcher-kva.xn--p1ai", true],
  [`${"b".repeat(63)}.com`, true],
  ["example", false],
  ["example.com.", false],
  [".example.com", false],
  ["example..com", false],
  ["-b.com", false],
  ["b-.com", false],
  ["b.c-", false],
  ["b_c.com", false],
  ["127.0.0.1", false],
  ["example.1com", false],
  [`${"b".repeat(64)}.com`, false],
  ["", false],
])("%j as the domain of a new account: %s, by the contract's pattern as well", (domain, isOne) => {
  const address = `a@${domain}`;
  expect([isDomain(domain), isNewEmail(address), new RegExp(NewEmail.pattern).test(address)]).toEqual([isOne, isOne, isOne]);
});

test.each<[local: string, isOne: boolean]>([
  ["a".repeat(64), true],
  ["a".repeat(65), false],
  ["", false],
  ["a@b", false],
  ["ä", false],
])("%j before the domain of a new account: %s, by the contract's pattern as well", (local, isOne) => {
  const address = `${local}@example.com`;
  expect([isNewEmail(address), new RegExp(NewEmail.pattern).test(address)]).toEqual([isOne, isOne]);
});

test.each(["ada@example.com", "ada@example.com."])("the domain of %s is example.com", (address) => {
  expect(domainOf(address)).toBe("example.com");
});

test.each([
  ["Ada@Example.com", "ada@example.com"],
  ["ada+one+two@example.com", "ada@example.com"],
  ["a.d.a+x@gmail.com", "ada@gmail.com"],
  ["A.da@GoogleMail.com", "ada@gmail.com"],
  ["a.da@example.com", "a.da@example.com"],
  ["ada@example.com.", "ada@example.com"],
  ["+ada@example.com", "+ada@example.com"],
])("%s leads to the mailbox %s", (address, mailbox) => {
  expect(mailboxOf(address)).toBe(mailbox);
  expect(mailboxOf(mailbox)).toBe(mailbox);
  expect(domainOf(mailbox)).toMatch(/^(?:example|gmail)\.com$/);
});
