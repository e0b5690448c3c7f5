// A gateway for the tests of signing up and in: a clock that is moved by hand, the mails by address, argon2 runs counted.
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { expect, vi } from "vitest";
import type { Mail } from "../../src/mail/mailer.ts";
import { smallCatalog } from "../catalog/small-catalog.ts";
import { type Gateway, startGateway, type TestReply } from "./gateway.ts";

export const password = "correct horse battery";

export interface SignInGateway extends Gateway {
  /** Milliseconds that go by. */
  pass(ms: number): void;
  /** What was asked of the throttle so far. */
  throttled: string[];
  newEmail(): string;
  post(path: string, body: object, headers?: Record<string, string>): Promise<TestReply>;
  signUp(email: string, given?: { password?: string; name?: string }): Promise<TestReply>;
  signIn(email: string, given?: string): Promise<TestReply>;
  /** The last mail to an address. */
  mailTo(email: string): Promise<Mail>;
  /** Signs up and answers the mail; the reply of the latter. */
  signUpVerified(email: string): Promise<TestReply>;
  rows(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

export async function startSignInGateway(): Promise<SignInGateway> {
  let now = Date.now();
  let emails = 0;
  const throttled: string[] = [];
  const gateway = await startGateway({ catalog: smallCatalog, clock: () => new Date(now) });
  // Everybody here comes from one address within a second. That the throttle refuses is tested with the limits.
  gateway.context.limits.throttle = async (what, subject, perMinute) => void throttled.push(`${what} ${subject} ${perMinute}`);
  const post: SignInGateway["post"] = (path, body, headers = {}) => gateway.request("POST", path, { body, headers });
  const signUp: SignInGateway["signUp"] = (email, given = {}) => post("/v1/auth/signup", { email, password, ...given });
  const mailTo: SignInGateway["mailTo"] = (email) =>
    vi.waitFor(() => {
      const mail = gateway.mails.findLast(({ to }) => to === email);
      if (!mail) throw new Error(`no mail to ${email}`);
      return mail;
    });
  return {
    ...gateway,
    pass: (ms) => void (now += ms),
    throttled,
    newEmail: () => `person-${++emails}@example.com`,
    post,
    signUp,
    signIn: (email, given = password) => post("/v1/auth/signin", { email, password: given }),
    mailTo,
    async signUpVerified(email) {
      await signUp(email);
      const reply = await post("/v1/auth/verify", { token: tokenIn(await mailTo(email)) });
      expect(reply.status).toBe(200);
      return reply;
    },
    rows: async (sql, values) => (await gateway.context.db.pool.query<Record<string, unknown>>(sql, values)).rows,
  };
}

export function tokenIn({ text }: Mail): string {
  return /#token=(svcm_[\w-]{43})/.exec(text)![1]!;
}

export function codeIn({ text }: Mail): string {
  return /code: (\d{6})\n/.exec(text)![1]!;
}

export const wrongCode = (mail: Mail) => String((Number(codeIn(mail)) + 1) % 1_000_000).padStart(6, "0");

/** What a reply shows, but for what differs from request to request anyway. */
export function shown({ status, headers, text }: TestReply): string {
  const { date: _date, "x-request-id": _id, ...rest } = headers;
  const body = text
    .replace(/req_[0-9a-f]{32}/g, "req_…")
    .replace(/usr_[0-9a-f]{32}/g, "usr_…")
    .replace(/person-\d+@/g, "person-…@")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]{12}Z/g, "<time>");
  return JSON.stringify([status, rest, body]);
}

/** How many times a password was hashed or verified meanwhile. */
export async function argon2Runs(work: () => Promise<unknown>): Promise<number> {
  const spy = vi.spyOn(crypto, "argon2");
  syncBuiltinESMExports();
  try {
    await work();
    return spy.mock.calls.length;
  } finally {
    spy.mockRestore();
    syncBuiltinESMExports();
  }
}
