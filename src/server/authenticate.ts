// Who calls: a bearer token or x-api-key becomes a Caller, or the request is refused. Whether a key exists is src/accounts'
// business; what the caller may buy is decided after the body is known.
import type { IncomingHttpHeaders } from "node:http";
import type { Operation } from "../../generated/operations.ts";
import type { Accounts } from "../accounts/accounts.ts";
import type { Caller } from "../context.ts";
import { fail } from "../fail.ts";

const sessionPrefix = "svcs_";

/** Longer than any credential of ours: nothing that long reaches the cache or the database. */
const credentialMax = 256;

type Lookups = Pick<Accounts, "authenticateKey" | "authenticateSession">;

export async function authenticate(
  accounts: Lookups,
  operation: Pick<Operation, "auth" | "xApiKey">,
  headers: IncomingHttpHeaders,
): Promise<Caller> {
  const credentials = credentialsOf(operation, headers);
  if (credentials.length === 0) fail("missing_api_key");
  for (const credential of credentials) {
    const caller = await lookUp(accounts, operation, credential);
    if (caller === undefined) continue;
    // Only a valid key may learn that it is the wrong kind of credential (Authentication section, 4).
    if (operation.auth === "session" && caller.keyId !== null) fail("session_required");
    if (caller.suspended) fail("permission_denied", { text: { reason: "the account is suspended" } });
    return caller;
  }
  return fail("invalid_api_key");
}

async function lookUp(accounts: Lookups, operation: Pick<Operation, "auth">, credential: string): Promise<Caller | undefined> {
  if (credential.length > credentialMax || !/^[\x21-\x7e]+$/.test(credential)) return undefined;
  if (!credential.startsWith(sessionPrefix)) return accounts.authenticateKey(credential);
  return operation.auth === "key" ? undefined : accounts.authenticateSession(credential);
}

/** Both headers may come, with one value or two; the one that is a valid key of ours wins (WIRE.md 6.1). */
function credentialsOf(operation: Pick<Operation, "xApiKey">, headers: IncomingHttpHeaders): string[] {
  const bearer = /^bearer[ \t]+(.*)$/i.exec(headers.authorization ?? "")?.[1]?.trim();
  const apiKey = operation.xApiKey ? headers["x-api-key"] : undefined;
  const given = [bearer, typeof apiKey === "string" ? apiKey.trim() : undefined];
  return [...new Set(given.filter((credential) => credential !== undefined && credential !== ""))] as string[];
}
