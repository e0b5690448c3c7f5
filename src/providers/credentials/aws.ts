// Amazon's credentials and signatures: keys of the environment, the machine's own identity, or a role assumed with either; each request
// is signed with Signature Version 4 by @smithy/signature-v4.
import { createHash } from "node:crypto";
import { Sha256 } from "@smithy/core/checksum";
import { SignatureV4 } from "@smithy/signature-v4";
import { type Clock, systemClock } from "../../clock.ts";
import type { Provider, RequestToSign } from "../types.ts";
import { credentialsFault, type Expiring, openRenewed } from "./authorize.ts";
import { askForToken } from "./token-request.ts";

interface AwsKeys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export interface AwsIdentity {
  region: string;
  /** Null: the machine's own. `unset`: a variable of theirs that the environment lacks. */
  keys: (() => AwsKeys & { unset?: string | undefined }) | null;
  /** Null: none is assumed. */
  roleArn: string | null;
  /** Where roles are assumed; null: the region's own. */
  stsUrl: string | null;
}

type Signed = Readonly<Record<string, string>>;

export function awsAuthorization(
  identity: AwsIdentity,
  clock: Clock = systemClock,
): Required<Pick<Provider, "authorize" | "onUnauthorized">> {
  const { region } = identity;
  const credentials = openRenewed(() => obtain(identity, clock), clock);
  return {
    async authorize(request) {
      return await signed(request, { region, service: "bedrock", keys: await credentials.get(), now: clock() });
    },
    onUnauthorized: () => credentials.forget(),
  };
}

async function obtain(identity: AwsIdentity, clock: Clock): Promise<Expiring<AwsKeys>> {
  const own = identity.keys === null ? await machineKeys() : { value: named(identity.keys()), expiresAt: null };
  return identity.roleArn === null ? own : await assumeRole(identity, identity.roleArn, own.value, clock());
}

function named({ unset, ...keys }: AwsKeys & { unset?: string | undefined }): AwsKeys {
  if (unset !== undefined) throw credentialsFault(`the variable ${unset} is not set`);
  return keys;
}

/** From the environment, shared files, a web identity, the container or the instance, in Amazon's own order. */
async function machineKeys(): Promise<Expiring<AwsKeys>> {
  const { defaultProvider } = await import("@aws-sdk/credential-provider-node"); // slow to load, and seldom needed
  try {
    const { accessKeyId, secretAccessKey, sessionToken, expiration = null } = await defaultProvider()();
    return { value: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) }, expiresAt: expiration };
  } catch (error) {
    throw credentialsFault(
      "this machine has no identity at Amazon: give it a role, or name access_key_id_env and secret_access_key_env",
      error,
    );
  }
}

// A signature over what is sent: method, address, content type and the digest of the body.

interface Signing {
  region: string;
  service: string;
  keys: AwsKeys;
  now: Date;
}

async function signed({ method, origin, path, headers, body }: RequestToSign, { region, service, keys, now }: Signing): Promise<Signed> {
  const { host, hostname, protocol } = new URL(origin);
  const [pathname = "/", search = ""] = path.split("?", 2);
  const signer = new SignatureV4({ service, region, credentials: keys, sha256: Sha256 });
  const request = {
    ...{ method, protocol, hostname, path: pathname, query: Object.fromEntries(new URLSearchParams(search)) },
    headers: {
      host,
      ...(headers["content-type"] === undefined ? {} : { "content-type": headers["content-type"] }),
      "x-amz-content-sha256": await digestOf(body),
    },
  };
  const result = await signer.sign(request, { signingDate: now });
  return Object.fromEntries(Object.entries(result.headers).filter(([name]) => name === "authorization" || name.startsWith("x-amz-")));
}

/** A long body is read once more for it, never held as a whole. */
async function digestOf(body: RequestToSign["body"]): Promise<string> {
  const hash = createHash("sha256");
  if (typeof body === "string" || Buffer.isBuffer(body)) hash.update(body);
  else if (body !== null) for await (const chunk of body.open() as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest("hex");
}

// Assuming a role: Amazon's STS, which answers in XML.

const roleSeconds = 3_600;

async function assumeRole({ region, stsUrl }: AwsIdentity, roleArn: string, keys: AwsKeys, now: Date): Promise<Expiring<AwsKeys>> {
  const suffix = region.startsWith("cn-") ? ".com.cn" : ".com";
  const url = new URL(stsUrl ?? `https://sts.${region}.amazonaws${suffix}/`);
  const fields = { Action: "AssumeRole", Version: "2011-06-15", RoleArn: roleArn, RoleSessionName: "svc-gateway" };
  const body = new URLSearchParams({ ...fields, DurationSeconds: String(roleSeconds) }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };
  const request: RequestToSign = { method: "POST", origin: url.origin, path: url.pathname, headers, body };
  const signature = await signed(request, { region, service: "sts", keys, now });
  const { status, text } = await askForToken(url.href, { headers: { ...headers, ...signature }, body });
  const [accessKeyId, secretAccessKey, sessionToken] = ["AccessKeyId", "SecretAccessKey", "SessionToken"].map((name) =>
    elementOf(text, name),
  );
  if (status !== 200 || accessKeyId == null || secretAccessKey == null || sessionToken == null) {
    const code = elementOf(text, "Code");
    const why = code !== null && /^[A-Za-z.]{1,60}$/.test(code) ? ` (${code})` : "";
    throw credentialsFault(`the role can't be assumed: STS answered ${status}${why}`);
  }
  const until = new Date(elementOf(text, "Expiration") ?? "");
  const expiresAt = Number.isNaN(until.getTime()) ? new Date(now.getTime() + roleSeconds * 1000) : until;
  return { value: { accessKeyId, secretAccessKey, sessionToken }, expiresAt };
}

/** The text of the first element of a name: none of these has children or entities. */
function elementOf(xml: string, name: string): string | null {
  return new RegExp(`<${name}>([^<]{1,4096})</${name}>`).exec(xml)?.[1] ?? null;
}
