// Limits requests before authentication, by the client's address and by the email that they are about.
import { createHash } from "node:crypto";
import type { Context } from "../context.ts";
import type { Queries } from "../db/connect.ts";
import { ApiError } from "../errors/fail.ts";
import { foldEmail } from "../text/email-address.ts";

interface PerMinute {
  /** For one client, about any email. */
  client: number;
  /** For one client about one email; absent: the request names no email. */
  pair?: number;
  /** For all clients about one email: many more, so that strangers can't lock its owner out. */
  email?: number;
}

const perMinute = {
  "sign-in": { client: 60, pair: 10, email: 100 },
  "sign-up": { client: 30, pair: 5, email: 50 },
  resend: { client: 30, pair: 5, email: 50 },
  forgot: { client: 30, pair: 5, email: 50 },
  verify: { client: 20, pair: 20, email: 100 },
  reset: { client: 20 },
  // A provider's signature can't be guessed; this bounds the calls to providers.
  "external start": { client: 120 },
  external: { client: 120 },
} as const satisfies Record<string, PerMinute>;

/**
 * 429 rate_limit_exceeded. The client's own limit comes first: a client that asks too much must not use up an email's limit. An email
 * whose limit strangers have used up still works from networks from which it was signed in to lately.
 */
export async function throttle(
  { clock, db, limits }: Pick<Context, "clock" | "db" | "limits">,
  what: keyof typeof perMinute,
  { client, email }: { client: string; email?: string },
): Promise<void> {
  const max: PerMinute = perMinute[what];
  await limits.throttle(`${what} client`, client, max.client);
  if (email === undefined) return;
  const folded = foldEmail(email);
  if (max.pair !== undefined) await limits.throttle(`${what} pair`, `${client} ${folded}`, max.pair);
  if (max.email === undefined) return;
  try {
    await limits.throttle(`${what} email`, folded, max.email);
  } catch (error) {
    const used = error instanceof ApiError && error.code === "rate_limit_exceeded";
    if (!used || !(await isKnownNetwork(db, { email, client, at: clock() }))) throw error;
  }
}

// The networks from which an account was signed in to lately: failed attempts of strangers count less there.

const lifeMs = 30 * 24 * 60 * 60 * 1000;

interface Place {
  email: string;
  /** The network of the client, as limits see it. */
  client: string;
  at: Date;
}

export async function isKnownNetwork({ pool }: Queries, { email, client, at }: Place): Promise<boolean> {
  const { rowCount } = await pool.query("select 1 from known_network where hash = $1 and expires_at > $2", [hashOf(email, client), at]);
  return rowCount === 1;
}

export async function rememberNetwork({ pool }: Queries, { accountId, email, client, at }: Place & { accountId: bigint }): Promise<void> {
  await pool.query(
    `insert into known_network (hash, account_id, expires_at) values ($1, $2, $3)
     on conflict (hash) do update set account_id = excluded.account_id, expires_at = excluded.expires_at`,
    [hashOf(email, client), accountId, new Date(at.getTime() + lifeMs)],
  );
}

/** The network's digest, where the account was signed in to lately, but not from there; null: it is known, or the only one. */
export async function newPlace({ pool }: Queries, { accountId, email, client, at }: Place & { accountId: bigint }): Promise<string | null> {
  const hash = hashOf(email, client);
  const { rows } = await pool.query<{ known: boolean }>(
    "select hash = $1 as known from known_network where account_id = $2 and expires_at > $3 order by hash = $1 desc limit 1",
    [hash, accountId, at],
  );
  return rows[0] === undefined || rows[0].known ? null : hash.toString("hex");
}

/** After a new password: those who knew the old one count as strangers. */
export async function forgetNetworks({ pool }: Queries, accountId: bigint): Promise<void> {
  await pool.query("delete from known_network where account_id = $1", [accountId]);
}

function hashOf(email: string, client: string): Buffer {
  return createHash("sha256")
    .update(`${client} ${foldEmail(email)}`)
    .digest();
}
