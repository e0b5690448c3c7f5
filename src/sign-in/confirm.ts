// Confirms a session: its person gives the password again. Wrong ones count against the same limits as signing in.
import { confirmSession } from "../accounts/operators.ts";
import { verifyPassword } from "../accounts/passwords.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors/fail.ts";
import { foldEmail } from "../text/email-address.ts";
import { throttle } from "./throttle.ts";

interface Confirmation {
  /** Of the session. */
  hash: Buffer;
  password: string;
  client: string;
  at: Date;
}

export async function confirmByPassword(
  context: Pick<Context, "clock" | "db" | "limits">,
  { hash, password, client, at }: Confirmation,
): Promise<Date> {
  const { pool } = context.db;
  const { rows } = await pool.query<{ email: string; passwordHash: string | null }>(
    `select a.email, a.password_hash as "passwordHash" from session s join account a on a.id = s.account_id where s.hash = $1`,
    [hash],
  );
  const account = rows[0] ?? fail("invalid_api_key"); // it ended meanwhile
  await throttle(context, "sign-in", { client, email: account.email });
  const right = await verifyPassword(password, account.passwordHash, { about: foldEmail(account.email), known: true });
  if (!right) fail("invalid_credentials");
  return confirmSession(context.db, hash, at);
}
