// Authentication: turns a bearer token, x-api-key or the session's cookie into a Caller, or refuses the request. src/accounts looks up keys
// and sessions; the rules of a key are held to by run-operation.ts, operators are let in by let-operator-in.ts. What the caller may buy is
// decided once the body is known.
import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Operation } from "../../generated/operations.ts";
import type { Accounts } from "../accounts/accounts.ts";
import { assertRole, type Caller } from "../accounts/caller.ts";
import { tokenPrefixes, readSessionCookie } from "../accounts/tokens.ts";
import { failSuspended } from "../accounts/users.ts";
import { fail } from "../errors/fail.ts";

/** Longer than any credential of ours: nothing that long reaches the cache or the database. */
const credentialMax = 256;

type Lookups = Pick<Accounts, "recallKey" | "authenticateKey" | "authenticateSession">;
type Asked = Pick<Operation, "auth" | "xApiKey" | "method" | "roles">;

/** The usual caller, whose key is known, costs no promise. */
export function authenticate(accounts: Lookups, operation: Asked, headers: IncomingHttpHeaders): Caller | Promise<Caller> {
  const credentials = credentialsOf(operation, headers);
  const [first] = credentials;
  if (first !== undefined && first.length <= credentialMax && operation.auth !== "session") {
    const known = accounts.recallKey(first);
    if (known !== undefined) return admitted(known, operation);
  }
  return lookUpCaller(accounts, operation, headers, credentials);
}

async function lookUpCaller(
  accounts: Lookups,
  operation: Asked,
  headers: IncomingHttpHeaders,
  credentials: readonly string[],
): Promise<Caller> {
  const cookie = operation.auth === "key" ? undefined : readSessionCookie(headers.cookie);
  if (credentials.length === 0 && cookie === undefined) fail("missing_api_key");
  const workspace = workspaceOf(operation, headers);
  const caller = await findCaller(accounts, operation, credentials, workspace);
  // A header sent on purpose wins over the cookie that a browser adds by itself, except a key where only a session will do.
  const isWrongKind = operation.auth === "session" && caller !== undefined && caller.keyId !== null;
  if (caller !== undefined && !isWrongKind) return admitted(caller, operation);
  if (cookie !== undefined && (isWrongKind || credentials.length === 0)) {
    const signedIn = await lookUp(accounts, operation, cookie, workspace);
    if (signedIn?.session) {
      assertOwnPage(operation, headers, signedIn.session.csrfToken);
      return admitted(signedIn, operation);
    }
  }
  // Only the holder of a valid credential may learn that it is of the wrong kind.
  if (caller === undefined) {
    if (operation.auth === "key") await refuseSession(accounts, credentials);
    fail("invalid_api_key");
  }
  admitted(caller, operation);
  return fail("session_required");
}

async function refuseSession(accounts: Lookups, credentials: readonly string[]): Promise<void> {
  const signedIn = await findCaller(accounts, { auth: "session" }, credentials.filter(isSessionToken));
  if (signedIn === undefined) return;
  admitted(signedIn, {});
  fail("permission_denied", { text: { reason: "a session cannot call models: use an API key" } });
}

async function findCaller(
  accounts: Lookups,
  operation: Pick<Operation, "auth">,
  credentials: readonly string[],
  workspace?: string,
): Promise<Caller | undefined> {
  for (const credential of credentials) {
    const caller = await lookUp(accounts, operation, credential, workspace);
    if (caller !== undefined) return caller;
  }
  return undefined;
}

function lookUp(
  accounts: Lookups,
  operation: Pick<Operation, "auth">,
  credential: string,
  workspace?: string,
): Promise<Caller | undefined> | undefined {
  if (credential.length > credentialMax || !/^[\x21-\x7e]+$/.test(credential)) return undefined;
  if (!isSessionToken(credential)) return accounts.authenticateKey(credential);
  return operation.auth === "key" ? undefined : accounts.authenticateSession(credential, workspace);
}

function isSessionToken(credential: string): boolean {
  return credential.startsWith(tokenPrefixes.session);
}

/** Against forged cross-site requests: browsers send the cookie for any page, but only our pages know the token. Reads are exempt. */
function assertOwnPage({ method }: Asked, headers: IncomingHttpHeaders, csrfToken: string): void {
  if (method === "get") return;
  const given = Buffer.from(String(headers["x-svc-csrf"] ?? ""));
  const wanted = Buffer.from(csrfToken);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) fail("csrf_failed");
}

/** The workspace that a session's request acts in. Absent: the person's own, always for what is about the person. */
function workspaceOf({ roles }: Pick<Operation, "roles">, headers: IncomingHttpHeaders): string | undefined {
  const sent = roles === undefined ? undefined : headers["x-workspace-id"];
  return typeof sent === "string" && sent !== "" ? sent : undefined;
}

/** Suspended: 403 with any credential, and where the session's role is too low. */
function admitted(caller: Caller, operation: Pick<Operation, "roles">): Caller {
  if (caller.suspended) failSuspended();
  if (caller.session !== null) assertRole(operation, caller);
  return caller;
}

/** Both headers may come, with one value or two; the one that is a valid key of ours wins (docs/behaviour/requests.md#authentication). */
function credentialsOf(operation: Pick<Operation, "xApiKey">, headers: IncomingHttpHeaders): string[] {
  const bearer = /^bearer[ \t]+(.*)$/i.exec(headers.authorization ?? "")?.[1]?.trim() ?? "";
  const sent = operation.xApiKey ? headers["x-api-key"] : undefined;
  const apiKey = typeof sent === "string" ? sent.trim() : "";
  const credentials = bearer === "" ? [] : [bearer];
  if (apiKey !== "" && apiKey !== bearer) credentials.push(apiKey);
  return credentials;
}
