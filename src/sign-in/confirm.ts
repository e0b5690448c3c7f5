// Confirms a session: its person gives again what signing in takes, the password and a code of the second factor, as far as the account has
// them. Wrong ones count against the same limits as signing in.
import { confirmSession } from "../accounts/operators.ts";
import { verifyPassword } from "../accounts/passwords.ts";
import { hasTotp } from "../accounts/totp.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors/fail.ts";
import { foldEmail } from "../text/email-address.ts";
import { takeSecondFactor } from "./second-factor.ts";
import { throttle } from "./throttle.ts";

interface Confirmation {
  /** Of the session. */
  hash: Buffer;
  password: string | undefined;
  /** Of the second factor. */
  code: string | undefined;
  client: string;
  at: Date;
}

export async function confirmAgain(
  context: Pick<Context, "clock" | "db" | "limits">,
  { hash, password, code, client, at }: Confirmation,
): Promise<Date> {
  const { pool } = context.db;
  const { rows } = await pool.query<{ accountId: bigint; email: string; passwordHash: string | null }>(
    `select a.id as "accountId", a.email, a.password_hash as "passwordHash" from session s join account a on a.id = s.account_id where s.hash = $1`,
    [hash],
  );
  const account = rows[0] ?? fail("invalid_api_key"); // it ended meanwhile
  await throttle(context, "sign-in", { client, email: account.email });
  const { accountId, email, passwordHash } = account;
  const needsCode = await hasTotp(context.db, accountId);
  // Without either there is nothing to confirm with: the work of a wrong password, and its refusal.
  if (passwordHash !== null || !needsCode) {
    if (password === undefined) fail("missing_parameter", { param: "password", text: { param: "password" } });
    const right = await verifyPassword(password, passwordHash, { about: foldEmail(email), known: true });
    if (!right) fail("invalid_credentials");
  }
  const gaveCode = await takeSecondFactor(context, { accountId, code, at });
  return confirmSession(context.db, { hash, at, gaveCode });
}
