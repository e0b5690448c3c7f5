// `svc session …`: ends an account's sessions.
import { sessionCookiePair } from "../accounts/session-cookie.ts";
import { openSession } from "../accounts/sessions.ts";
import { systemClock } from "../clock.ts";
import { readAccount } from "./arguments.ts";
import type { Input, Outcome } from "./command.ts";
import { withDatabase } from "./with-database.ts";

export async function create({ config, words }: Input): Promise<Outcome> {
  return withDatabase(config, async (db) => {
    const { accountId, email } = await readAccount(db, words[0]!);
    const { token, csrfToken, expiresAt } = await openSession(db, { accountId, at: systemClock() });
    const cookie = sessionCookiePair(token);
    return {
      json: { session_token: token, cookie, csrf_token: csrfToken },
      text: `${token}\nCookie: ${cookie}\nX-Svc-CSRF: ${csrfToken}\nA session of ${email} that ends 30 days after its last use, first on ${expiresAt.toISOString()}.`,
    };
  });
}
