// A gateway for the tests of signing up and in: a clock that is moved by hand, the mails by address, argon2 runs counted.
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { expect, vi } from "vitest";
import type { Mail } from "../../src/mail/mailer.ts";
import { smallCatalog } from "../catalog/small-catalog.ts";
import { eventually } from "./eventually.ts";
import { type Gateway, startGateway, type TestReply } from "./gateway.ts";

export const password = "correct horse battery";

export interface SignInGateway extends Gateway {
  /** Milliseconds that go by. */
  pass(ms: number): void;
  newEmail(): string;
  /** Each from a client of its own, unless one is given; how often one email may be asked about stays. */
  post(path: string, body: object, client?: string): Promise<TestReply>;
  signUp(email: string, given?: { password?: string; name?: string }): Promise<TestReply>;
  signIn(email: string, given?: string): Promise<TestReply>;
  /** The last mail to an address. */
  mailTo(email: string): Promise<Mail>;
  /** Signs up and answers the mail; the reply of the latter. */
  signUpVerified(email: string): Promise<TestReply>;
  verifiedPerson(): Promise<Person>;
  rows(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

export interface Person {
  email: string;
  id: bigint;
  token: string;
  key: string;
  user: Record<string, unknown>;
}

const shipped = crypto.argon2;
const quick: typeof shipped = (algorithm, parameters, done) => shipped(algorithm, { ...parameters, memory: 8, passes: 1 }, done);

function useArgon2(one: typeof shipped): void {
  crypto.argon2 = one;
  syncBuiltinESMExports();
}

/** For what would else be too quick to be too much. */
export async function atShippedCost<Result>(work: () => Promise<Result>): Promise<Result> {
  useArgon2(shipped);
  return work().finally(() => useArgon2(quick));
}

/** `env`: more of the environment; `more`: what else the gateway starts with. Until it stops, Node hashes passwords at next to no cost, where none is given: tests sign in by the hundred. */
export async function startSignInGateway(
  env: Record<string, string> = {},
  cost: "quick" | "shipped" = "quick",
  more: Omit<NonNullable<Parameters<typeof startGateway>[0]>, "catalog" | "clock" | "env"> = {},
): Promise<SignInGateway> {
  useArgon2(cost === "quick" ? quick : shipped);
  let now = Date.now();
  let emails = 0;
  let clients = 0;
  const gateway = await startGateway({
    ...more,
    ...{ catalog: smallCatalog, clock: () => new Date(now), env: { SVC_TRUSTED_PROXIES: "1", ...env } },
  });
  const newClient = () => `10.${++clients >> 16}.${(clients >> 8) & 255}.${clients & 255}`;
  const post: SignInGateway["post"] = (path, body, client = newClient()) =>
    gateway.request("POST", path, { body, headers: { "x-forwarded-for": client } });
  const signUp: SignInGateway["signUp"] = (email, given = {}) => post("/v1/auth/signup", { email, password, ...given });
  const mailTo: SignInGateway["mailTo"] = (email) =>
    eventually(() => {
      const mail = gateway.mails.findLast(({ to }) => to === email);
      if (!mail) throw new Error(`no mail to ${email}`);
      return mail;
    });
  const newEmail = () => `person-${String(++emails).padStart(4, "0")}@example.com`; // all of one length, as replies are compared
  const rows: SignInGateway["rows"] = async (sql, values) =>
    (await gateway.context.db.pool.query<Record<string, unknown>>(sql, values)).rows;
  const signUpVerified: SignInGateway["signUpVerified"] = async (email) => {
    await signUp(email);
    const reply = await post("/v1/auth/verify", { token: tokenIn(await mailTo(email)) });
    expect(reply.status).toBe(200);
    return reply;
  };
  return {
    ...gateway,
    pass: (ms) => void (now += ms),
    newEmail,
    post,
    signUp,
    signIn: (email, given = password) => post("/v1/auth/signin", { email, password: given }),
    mailTo,
    signUpVerified,
    async verifiedPerson() {
      const email = newEmail();
      const { user, session_token: token, api_key: key } = (await signUpVerified(email)).json;
      const [{ id }] = (await rows("select id from account where email = $1", [email])) as [{ id: bigint }];
      return { email, id, token, key, user };
    },
    rows,
    stop() {
      useArgon2(shipped);
      return gateway.stop();
    },
  };
}

/** Of a refusal. */
export function codeOf({ status, json }: TestReply): [status: number, code: string, param: string | null] {
  return [status, json?.error?.code, json?.error?.param];
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
