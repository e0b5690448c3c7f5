// Tokens of Google's accounts (docs/behaviour/providers.md#vertex): of a service account, by an assertion that its key signs, or of the
// machine's own, from its metadata server. Obtained once for all calls that wait, and renewed before they end.
import { importPKCS8, SignJWT } from "jose";
import { type Clock, systemClock, unixSeconds } from "../../clock.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { type Json, textOf } from "../json/read.ts";
import { credentialsFault, type Expiring } from "./authorize.ts";
import { askForToken, bearerAuthorization, errorWordOf, postForm, type TokenAnswer, tokenOf } from "./token-request.ts";

export interface ServiceAccount {
  email: string;
  /** PKCS #8, as PEM. */
  privateKey: string;
  keyId: string | null;
  tokenUrl: string;
}

export type GoogleIdentity =
  /** `account` is null where the variable is not set. */
  | { kind: "service-account"; variable: string; account: ServiceAccount | null }
  /** The machine's own; `metadataUrl` is its metadata server, without a trailing slash. */
  | { kind: "machine"; metadataUrl: string };

const scope = "https://www.googleapis.com/auth/cloud-platform";
const assertionSeconds = 3_600;

export function googleAuthorization(identity: GoogleIdentity, clock: Clock = systemClock): ReturnType<typeof bearerAuthorization> {
  return bearerAuthorization(() => obtain(identity, clock), clock);
}

async function obtain(identity: GoogleIdentity, clock: Clock): Promise<Expiring<string>> {
  // The metadata server pads its tokens with dots, which count.
  if (identity.kind === "machine") return tokenOf(await askMachine(identity.metadataUrl), clock, machineRefusal);
  const { account, variable } = identity;
  if (account === null) throw credentialsFault(`the variable ${variable} is not set`);
  const form = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: await assertionOf(account, variable, clock()) };
  return tokenOf(await postForm(account.tokenUrl, form), clock, accountRefusal);
}

async function assertionOf({ email, privateKey, keyId, tokenUrl }: ServiceAccount, variable: string, now: Date): Promise<string> {
  const issuedAt = unixSeconds(now);
  try {
    const key = await importPKCS8(privateKey, "RS256");
    return await new SignJWT({ scope })
      .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(keyId === null ? {} : { kid: keyId }) })
      .setIssuer(email)
      .setAudience(tokenUrl)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + assertionSeconds)
      .sign(key);
  } catch (error) {
    throw credentialsFault(`the private key in the variable ${variable} can't be read`, error);
  }
}

const machineSays = "this machine has no account at Google: give it a service account, or name service_account_env";

async function askMachine(metadataUrl: string): Promise<TokenAnswer> {
  try {
    return await askForToken(`${metadataUrl}/computeMetadata/v1/instance/service-accounts/default/token`, {
      method: "GET",
      headers: { "metadata-flavor": "Google", accept: "application/json" },
    });
  } catch (error) {
    throw credentialsFault(machineSays, error);
  }
}

function machineRefusal(status: number): UpstreamError {
  return credentialsFault(status === 404 ? machineSays : `the metadata server gave no token: it answered ${status}`);
}

/** Google's sentence may name the account; ours says what to do. */
function accountRefusal(status: number, answer: Json): UpstreamError {
  const word = errorWordOf(answer);
  const said = textOf(answer["error_description"]) ?? "";
  if (word === "invalid_grant" && /\biat\b|\bexp\b|\btimeframe\b/.test(said)) {
    const detail = "Google refuses the assertion's time: this machine's clock is wrong; let NTP set it";
    return new UpstreamError("our_fault", detail, { failure: { cause: "clock_skew", detail } });
  }
  const why = /\bsignature\b/i.test(said)
    ? "its key was deleted or disabled"
    : /\baccount not found\b/i.test(said)
      ? "the account was deleted"
      : null;
  const answered = word ?? `it answered ${status}`;
  return credentialsFault(`Google gave the service account no token: ${answered}${why === null ? "" : `, ${why}`}`);
}
