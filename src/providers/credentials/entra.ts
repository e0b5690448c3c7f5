// Tokens of Microsoft Entra (docs/behaviour/providers.md#azure): of an application, by the client-credentials grant with its secret, an assertion
// that its certificate signs or a token of another issuer that it trusts; or of the machine's own identity, from App Service or the metadata
// server. Obtained once for all calls that wait, renewed before they end, and forgotten where the resource refuses one.
import { createHash, createPrivateKey, type KeyObject, randomUUID, X509Certificate } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { SignJWT } from "jose";
import { type Clock, systemClock, unixSeconds } from "../../clock.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { type Json, textOf } from "../json/read.ts";
import { credentialsFault, type Expiring } from "./authorize.ts";
import { askForToken, bearerAuthorization, errorWordOf, postForm, type TokenAnswer, tokenOf } from "./token-request.ts";

interface EntraClient {
  kind: "application";
  /** Of the login service, without a trailing slash. */
  authority: string;
  /** Its id or domain. */
  tenant: string;
  clientId: string;
  proof: EntraProof;
  scope: string;
}

/** What an application shows to be itself. Files are read for each token: they are replaced while the gateway runs. */
export type EntraProof =
  /** Empty: not set. `variable` is the environment's name for it. */
  | { kind: "secret"; secret: string; variable: string }
  /** A PEM file with a private key and its certificate. */
  | { kind: "certificate"; file: string }
  /** A file with a token of an issuer that the application trusts, such as a Kubernetes cluster. */
  | { kind: "federated"; file: string };

interface MachineIdentity {
  kind: "machine";
  /** App Service's, where the machine is one of its; null: the metadata server is asked. */
  appService: { url: string; header: string } | null;
  /** Without a trailing slash. */
  metadataUrl: string;
  /** Of a user-assigned identity; null: the system-assigned one. */
  clientId: string | null;
  resource: string;
}

export type EntraIdentity = EntraClient | MachineIdentity;

export function entraAuthorization(identity: EntraIdentity, clock: Clock = systemClock): ReturnType<typeof bearerAuthorization> {
  return bearerAuthorization(() => (identity.kind === "machine" ? obtainByMachine(identity, clock) : obtain(identity, clock)), clock);
}

async function obtain(client: EntraClient, clock: Clock): Promise<Expiring<string>> {
  const tokenUrl = `${client.authority}/${encodeURIComponent(client.tenant)}/oauth2/v2.0/token`;
  const form = { grant_type: "client_credentials", client_id: client.clientId, scope: client.scope };
  const shown = await proofOf(client, tokenUrl, clock());
  return tokenOf(await postForm(tokenUrl, { ...form, ...shown }), clock, (status, answer) => refusal(status, answer, client.proof));
}

async function proofOf({ proof, clientId }: EntraClient, tokenUrl: string, now: Date): Promise<Record<string, string>> {
  if (proof.kind === "secret") {
    if (proof.secret === "") throw credentialsFault(`the variable ${proof.variable} is not set`);
    return { client_secret: proof.secret };
  }
  const text = await readSecretFile(proof.file);
  const assertion = proof.kind === "certificate" ? await assertionOf(text, proof.file, { clientId, tokenUrl, now }) : text.trim();
  // Nothing but a token leaves the machine, whatever file is named.
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(assertion)) throw credentialsFault(`the file ${proof.file} holds no token`);
  return { client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", client_assertion: assertion };
}

const fileBytesMax = 65_536;

/** A pipe or a device would never end. No message holds what is in the file. */
async function readSecretFile(file: string): Promise<string> {
  const found = await stat(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  if (!found.isFile() || found.size > fileBytesMax) throw credentialsFault(`${file} is no file of at most 64 KB`);
  return await readFile(file, "utf8").catch((error: unknown) => {
    throw unreadable(file, error);
  });
}

function unreadable(file: string, error: unknown): UpstreamError {
  const code = (error as { code?: unknown }).code;
  const why = code === "ENOENT" ? "does not exist" : code === "EACCES" ? "may not be read by this process" : "can't be read";
  return credentialsFault(`the file ${file} ${why}`, error);
}

// An assertion that the application's certificate signs: Entra finds the certificate by its digest.

const assertionSeconds = 600;

interface Asserting {
  clientId: string;
  tokenUrl: string;
  now: Date;
}

async function assertionOf(pem: string, file: string, { clientId, tokenUrl, now }: Asserting): Promise<string> {
  const key = privateKeyIn(pem, file);
  const certificate = certificateOf(pem, key, file);
  if (new Date(certificate.validTo) < now) throw credentialsFault(`the certificate in ${file} has expired: make another`);
  const seconds = unixSeconds(now);
  return await new SignJWT({})
    .setProtectedHeader({ alg: "PS256", typ: "JWT", "x5t#S256": createHash("sha256").update(certificate.raw).digest("base64url") })
    .setAudience(tokenUrl)
    .setIssuer(clientId)
    .setSubject(clientId)
    .setJti(randomUUID())
    .setIssuedAt(seconds)
    .setNotBefore(seconds)
    .setExpirationTime(seconds + assertionSeconds)
    .sign(key);
}

function privateKeyIn(pem: string, file: string): KeyObject {
  const block = /-----BEGIN ([A-Z ]*)PRIVATE KEY-----[\s\S]*?-----END \1PRIVATE KEY-----/.exec(pem)?.[0];
  if (block === undefined) throw credentialsFault(`the file ${file} holds no private key in PEM`);
  if (/ENCRYPTED/.test(block)) throw credentialsFault(`the private key in ${file} has a passphrase: store it without one`);
  let key: KeyObject;
  try {
    key = createPrivateKey(block);
  } catch (error) {
    throw credentialsFault(`the private key in ${file} can't be read`, error);
  }
  if (key.asymmetricKeyType !== "rsa" || (key.asymmetricKeyDetails?.modulusLength ?? 0) < 2_048)
    throw credentialsFault(`the private key in ${file} is not one of RSA with 2,048 bits at least, which Entra asks for`);
  return key;
}

/** The one of that key: a chain may stand around it. */
function certificateOf(pem: string, key: KeyObject, file: string): X509Certificate {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw credentialsFault(`the file ${file} holds no certificate in PEM`);
  for (const block of blocks) {
    const certificate = readCertificate(block, file);
    if (certificate.checkPrivateKey(key)) return certificate;
  }
  throw credentialsFault(`no certificate in ${file} belongs to its private key`);
}

function readCertificate(block: string, file: string): X509Certificate {
  try {
    return new X509Certificate(block);
  } catch (error) {
    throw credentialsFault(`the certificate in ${file} can't be read`, error);
  }
}

// What Entra refuses with. Its own sentence may quote ids of the operator's tenant: its code, and ours, say as much.

const meanings: Readonly<Record<string, string>> = {
  AADSTS7000215: "the secret is wrong, or its id was taken for it",
  AADSTS7000222: "the secret has expired",
  AADSTS700016: "the tenant has no application with this client_id",
  AADSTS90002: "there is no such tenant",
  AADSTS700027: "the application does not have this certificate",
  AADSTS70021: "no federated credential of the application is for this token",
  AADSTS700211: "no federated credential of the application names the token's issuer",
  AADSTS700212: "no federated credential of the application names the token's audience",
  AADSTS700213: "no federated credential of the application names the token's subject",
};

function refusal(status: number, answer: Json, proof: EntraProof): UpstreamError {
  const word = errorWordOf(answer);
  const code = /^AADSTS\d{1,12}\b/.exec(textOf(answer["error_description"]) ?? "")?.[0];
  if (code === "AADSTS700024" && proof.kind === "certificate") {
    const detail = `Entra refuses the assertion's time (${code}): this machine's clock is wrong; let NTP set it`;
    return new UpstreamError("our_fault", detail, { failure: { cause: "clock_skew", detail } });
  }
  const expired = code === "AADSTS700024" && proof.kind === "federated" ? `the token in ${proof.file} has expired` : undefined;
  const meaning = expired ?? (code === undefined ? undefined : meanings[code]);
  const said = [word, code].filter((part) => part !== undefined).join(", ");
  return credentialsFault(
    `Entra gave no token: ${said === "" ? `it answered ${status}` : said}${meaning === undefined ? "" : ` (${meaning})`}`,
  );
}

// The machine's own identity.

const otherwise = "name client_secret_env, certificate_file or federated_token_file";

async function obtainByMachine(machine: MachineIdentity, clock: Clock): Promise<Expiring<string>> {
  return tokenOf(await askMachine(machine), clock, (status, answer) => machineRefusal(status, answer, machine));
}

async function askMachine({ appService, metadataUrl, clientId, resource }: MachineIdentity): Promise<TokenAnswer> {
  const own: [string, string][] = clientId === null ? [] : [["client_id", clientId]];
  const ask = (url: string, version: string, header: Record<string, string>) =>
    askForToken(`${url}?${new URLSearchParams([["api-version", version], ["resource", resource], ...own]).toString()}`, {
      method: "GET",
      headers: { ...header, accept: "application/json" },
    });
  if (appService !== null) return await ask(appService.url, "2019-08-01", { "x-identity-header": appService.header });
  try {
    return await ask(`${metadataUrl}/metadata/identity/oauth2/token`, "2018-02-01", { metadata: "true" });
  } catch (error) {
    throw credentialsFault(`no metadata server of Azure's answers this machine: ${otherwise}`, error);
  }
}

function machineRefusal(status: number, answer: Json, { appService, clientId }: MachineIdentity): UpstreamError {
  if (appService !== null && (status === 401 || status === 403))
    return credentialsFault("App Service refuses the value of the variable IDENTITY_HEADER");
  if (status === 400 && clientId !== null) return credentialsFault("this machine was not assigned the identity that client_id names");
  if (status === 400) return credentialsFault(`this machine has no identity at Azure: assign it one, or ${otherwise}`);
  const word = errorWordOf(answer);
  return credentialsFault(`Azure gave this machine no token: it answered ${status}${word === undefined ? "" : `, ${word}`}`);
}
