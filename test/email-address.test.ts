// One rule for what an email address is.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { emailPattern, isEmailAddress } from "../src/email-address.ts";

interface Document {
  components: { schemas: { Email: { pattern: string; maxLength: number } } };
}

const { Email } = (JSON.parse(readFileSync(new URL("../generated/openapi.json", import.meta.url), "utf8")) as Document).components.schemas;

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
