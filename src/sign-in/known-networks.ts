// The networks from which an account was signed in to lately: failed attempts of strangers count less there.
import { createHash } from "node:crypto";
import type { Queries } from "../db/connect.ts";
import { foldEmail } from "../text/email-address.ts";

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

/** After a new password: those who knew the old one count as strangers. */
export async function forgetNetworks({ pool }: Queries, accountId: bigint): Promise<void> {
  await pool.query("delete from known_network where account_id = $1", [accountId]);
}

function hashOf(email: string, client: string): Buffer {
  return createHash("sha256")
    .update(`${client} ${foldEmail(email)}`)
    .digest();
}
