// Settings that are wrong: the sentence that a start ends with names the setting, what it may be, and no password.
import { expect, test } from "vitest";
import { readConfig } from "../src/config.ts";

test.each<[name: string, value: string, says: string]>([
  ["SVC_PUBLIC_URL", "not a url", 'must be an http or https address, not "not a url"'],
  ["SVC_PUBLIC_URL", "example.com", 'must be an http or https address, not "example.com"'],
  ["SVC_PUBLIC_URL", "ftp://example.com", 'must be an http or https address, not "ftp://example.com"'],
  ["DATABASE_URL", "localhost/svc", "must be the address of a Postgres, such as postgres://user@host/database"],
  ["DATABASE_DIRECT_URL", "mysql://u:p@host/svc", "must be the address of a Postgres, such as postgres://user@host/database"],
  ["SVC_ALLOW_PRIVATE_URLS", "true", 'must be one of 1, 0, off, false, not "true"'],
  ["SVC_SIGNUP", "maybe", 'must be one of open, invite, closed, not "maybe"'],
  [
    "SVC_SIGNUP_DOMAINS",
    "example.com,@acme",
    'must be domains with commas between them, such as example.com,example.org; "@acme" is not a domain',
  ],
  ["SVC_SIGNUP_DOMAINS", ",", 'must be domains with commas between them, such as example.com,example.org; "" is not a domain'],
  ["SVC_SIGNUP_CREDIT", "-1", 'must be USD from 0 to 1000 with at most 8 decimals, such as 0.50, not "-1"'],
  ["SVC_SIGNUP_CREDIT", "50 cents", 'must be USD from 0 to 1000 with at most 8 decimals, such as 0.50, not "50 cents"'],
  ["SVC_SIGNUP_CREDIT", "0.000000001", 'must be USD from 0 to 1000 with at most 8 decimals, such as 0.50, not "0.000000001"'],
  ["SVC_SIGNUP_CREDIT", "1e9", 'must be USD from 0 to 1000 with at most 8 decimals, such as 0.50, not "1e9"'],
  ["SVC_DISPOSABLE_DOMAINS", "/nowhere/list.txt", "can't be read"],
  ["LOG_LEVEL", "verbose", 'must be one of fatal, error, warn, info, debug, trace, silent, not "verbose"'],
])("%s=%s", (name, value, says) => {
  expect(() => readConfig({ [name]: value })).toThrow(`${name} ${says}`);
  expect(() => readConfig({ [name]: value })).not.toThrow("u:p@");
});
