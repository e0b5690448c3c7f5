// What gives out tokens for Azure: the login service, to applications, and the services that ask nothing but where a request comes from.
import { constants, createHash, generateKeyPairSync, type KeyObject, randomUUID, sign, verify } from "node:crypto";
import { parseJson } from "../../json/parse.ts";
import { type Ask, type Plan, planFields } from "../protocol.ts";
import { type Fields, isFields } from "../request-fields.ts";
import { digest } from "../seed.ts";

// POST /login/TENANT/oauth2/v2.0/token.

const tokenSeconds = 3_599;
const tokensMax = 10_000;

export function planToken(ask: Ask, tenant: string, tokens: Set<string>): Plan {
  const form = new URLSearchParams(ask.body.toString("utf8"));
  if (form.get("grant_type") !== "client_credentials")
    return tokenError("unsupported_grant_type", "AADSTS70003: The app requested an unsupported grant type.");
  if (!(form.get("scope") ?? "").endsWith("/.default"))
    return tokenError(
      "invalid_scope",
      "AADSTS1002012: The provided value for scope is not valid. Client credential flows must have a scope value with /.default suffixed to the resource identifier.",
    );
  const refused = form.has("client_assertion") ? refusalOfAssertion(form, ask.base, tenant) : refusalOfSecret(form);
  if (refused !== null) return refused;
  return planFields({ ...giveToken(tokens), expires_in: tokenSeconds, ext_expires_in: tokenSeconds });
}

/** A secret that begins with `wrong` is refused. */
function refusalOfSecret(form: URLSearchParams): Plan | null {
  const secret = form.get("client_secret") ?? "";
  const client = form.get("client_id") ?? "";
  if (client !== "" && secret !== "" && !secret.startsWith("wrong")) return null;
  return tokenError(
    "invalid_client",
    `AADSTS7000215: Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, for a secret added to app '${client}'.`,
    401,
  );
}

/** An assertion may be so far from our clock. */
const skewSeconds = 300;
const exchangeAudience = "api://AzureADTokenExchange";
const federatedSubject = "system:serviceaccount:default:svc-gateway";

/** The client's own, signed by the one certificate, or a token of the one issuer that every application here trusts. */
function refusalOfAssertion(form: URLSearchParams, base: string, tenant: string): Plan | null {
  const client = form.get("client_id") ?? "";
  const invalid = (description: string) => tokenError("invalid_client", description, 401);
  if (form.get("client_assertion_type") !== "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
    return tokenError("invalid_request", "AADSTS900144: The request body must contain the following parameter: 'client_assertion_type'.");
  const assertion = form.get("client_assertion") ?? "";
  const [head, claims] = assertion.split(".", 2).map(partOf);
  if (head == null || claims == null) return invalid("AADSTS50027: JWT token is invalid or malformed.");
  const isOwn = head["x5t#S256"] !== undefined;
  if (isOwn && (head["alg"] !== "PS256" || head["x5t#S256"] !== identity().thumbprint || !isSigned(assertion, pss)))
    return invalid("AADSTS700027: The certificate with identifier used to sign the client assertion is not registered on application.");
  if (isOwn && (claims["iss"] !== client || claims["sub"] !== client))
    return invalid("AADSTS700021: Client assertion application identifier doesn't match 'client_id' parameter.");
  if (isOwn && claims["aud"] !== `${base}/login/${encodeURIComponent(tenant)}/oauth2/v2.0/token`)
    return invalid("AADSTS700023: Client assertion audience claim does not match Realm issuer.");
  if (!isOwn && (claims["iss"] !== `${base}/issuer` || !isSigned(assertion)))
    return invalid("AADSTS700211: No matching federated identity record found for presented assertion issuer.");
  if (!isOwn && claims["aud"] !== exchangeAudience)
    return invalid("AADSTS700212: No matching federated identity record found for presented assertion audience.");
  if (!isOwn && claims["sub"] !== federatedSubject)
    return invalid("AADSTS700213: No matching federated identity record found for presented assertion subject.");
  const now = Math.floor(Date.now() / 1000);
  const [from, until] = [Number(claims["nbf"] ?? claims["iat"]), Number(claims["exp"])];
  if (from <= now + skewSeconds && until >= now - skewSeconds) return null;
  return invalid("AADSTS700024: Client assertion is not within its valid time range.");
}

function partOf(text: string): Fields | null {
  try {
    const part = parseJson(Buffer.from(text, "base64url").toString());
    return isFields(part) ? part : null;
  } catch {
    return null;
  }
}

function isSigned(token: string, padding: object = {}): boolean {
  const end = token.lastIndexOf(".");
  const signature = Buffer.from(token.slice(end + 1), "base64url");
  return verify("sha256", Buffer.from(token.slice(0, end)), { key: identity().publicKey, ...padding }, signature);
}

const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };

function giveToken(tokens: Set<string>) {
  const token = `sim.${digest(`token ${tokens.size}`)}`;
  if (tokens.size < tokensMax) tokens.add(token);
  return { token_type: "Bearer", access_token: token };
}

function tokenError(error: string, description: string, status = 400): Plan {
  return planFields({ error, error_description: `${description} Trace ID: 0 Correlation ID: 0 Timestamp: 2026-01-01 00:00:00Z` }, status);
}

// The one certificate that applications here have, and the tokens of the one issuer that they trust; its key is this process's.

interface Identity {
  /** Private key and certificate. */
  pem: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
  /** As `x5t#S256` names the certificate. */
  thumbprint: string;
}

let made: Identity | null = null;

export function identity(): Identity {
  if (made !== null) return made;
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const certificate = selfSigned(privateKey, publicKey);
  const base64 = certificate
    .toString("base64")
    .match(/.{1,64}/g)!
    .join("\n");
  const pem = `${privateKey.export({ type: "pkcs8", format: "pem" }).toString()}-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`;
  made = { pem, privateKey, publicKey, thumbprint: createHash("sha256").update(certificate).digest("base64url") };
  return made;
}

/** X.509 in its first version, which has no extensions. */
function selfSigned(privateKey: KeyObject, publicKey: KeyObject): Buffer {
  const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
  const algorithm = sequence(Buffer.from("06092a864886f70d01010b0500", "hex")); // sha256WithRSAEncryption
  const name = sequence(der(0x31, sequence(Buffer.from("0603550403", "hex"), der(0x0c, Buffer.from("svc-gateway")))));
  const times = sequence(der(0x17, Buffer.from("250101000000Z")), der(0x17, Buffer.from("491231235959Z")));
  const signed = sequence(der(0x02, Buffer.from([1])), algorithm, name, times, name, publicKey.export({ type: "spki", format: "der" }));
  return sequence(signed, algorithm, der(0x03, Buffer.from([0]), sign("sha256", signed, privateKey)));
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  return Buffer.concat([Buffer.from(size < 128 ? [tag, size] : [tag, 0x82, size >> 8, size & 255]), content]);
}

export function federatedToken(issuer: string): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, sub: federatedSubject, aud: exchangeAudience, iat: now, nbf: now, exp: now + 3_600, jti: randomUUID() };
  const text = [{ alg: "RS256", typ: "JWT" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${text}.${sign("sha256", Buffer.from(text), identity().privateKey).toString("base64url")}`;
}

// The services that give tokens to a machine. Identities whose client_id begins with `wrong` are not assigned to it.

export function planMachineToken({ headers, query }: Ask, tokens: Set<string>): Plan {
  if (headers["metadata"] !== "true" || headers["x-forwarded-for"] !== undefined)
    return planFields({ error: "invalid_request", error_description: "Required metadata header not specified" }, 400);
  if (query.get("api-version") !== "2018-02-01")
    return planFields({ error: "bad_request_102", error_description: "Required api-version" }, 400);
  if (!query.get("resource"))
    return planFields({ error: "invalid_request", error_description: "Required query variable 'resource' is missing" }, 400);
  if (query.get("client_id")?.startsWith("wrong") === true)
    return planFields({ error: "invalid_request", error_description: "Identity not found" }, 400);
  return planFields({ ...giveToken(tokens), expires_in: String(tokenSeconds), expires_on: untilText(), resource: query.get("resource") });
}

export function planAppServiceToken({ headers, query }: Ask, tokens: Set<string>): Plan {
  const header = headers["x-identity-header"] ?? "";
  if (header === "" || String(header).startsWith("wrong")) return planFields({ statusCode: 401, message: "Unauthorized" }, 401);
  if (query.get("api-version") !== "2019-08-01" || !query.get("resource") || query.get("client_id")?.startsWith("wrong") === true)
    return planFields({ statusCode: 400, message: "No User Assigned or Delegated Managed Identity found for specified ClientId" }, 400);
  return planFields({ ...giveToken(tokens), expires_on: untilText(), resource: query.get("resource") });
}

function untilText(): string {
  return String(Math.floor(Date.now() / 1000) + tokenSeconds);
}
