// Checks a request's Signature Version 4 by computing it anew from what arrived, as Amazon's hosts do, and knows the access keys that exist:
// one of its own, and those that its STS gave out.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Ask } from "../protocol.ts";
import { Refused } from "../request-fields.ts";

/** The key of the examples in Amazon's own documentation. */
export const accessKeyId = "AKIAIOSFODNN7EXAMPLE";
export const secretAccessKey = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
/** Its role; any other can't be assumed. */
export const roleArn = "arn:aws:iam::123456789012:role/svc-gateway";

/** A signature holds for so long on either side of our clock. */
const skewMsMax = 300_000;

/** Throws what Amazon's hosts refuse with. Returns the access key's id. */
export function checkSignature({ method, path, query, headers, body, base }: Ask, service: string, now = new Date()): string {
  const header = String(headers["authorization"] ?? "");
  if (header === "") throw refused(403, "MissingAuthenticationTokenException", "Missing Authentication Token");
  const form =
    /^AWS4-HMAC-SHA256 Credential=([A-Z0-9]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z]+)\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;
  const [, id = "", day = "", region = "", named = "", list = "", signature = ""] = form.exec(header) ?? [];
  if (id === "")
    throw refused(403, "IncompleteSignatureException", "Authorization header requires 'Credential', 'Signature' and 'SignedHeaders'.");
  const time = String(headers["x-amz-date"] ?? "");
  checkTime(time, now);
  const secret = secretOf(id, headers["x-amz-security-token"]);
  if (named !== service) throw refused(403, "InvalidSignatureException", `Credential should be scoped to correct service: '${service}'.`);
  const signed = list.split(";");
  if (!signed.includes("host"))
    throw refused(403, "InvalidSignatureException", "'Host' must be a 'SignedHeader' in the AWS Authorization.");
  const canonical = [
    method,
    // The path as it was sent, encoded once more.
    (new URL(base).pathname.replace(/\/$/, "") + path).split("/").map(encode).join("/"),
    [...query]
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .sort()
      .join("&"),
    ...signed.map(
      (name) =>
        `${name}:${String(headers[name] ?? "")
          .trim()
          .replace(/\s+/g, " ")}`,
    ),
    "",
    list,
    sha256(body),
  ].join("\n");
  const scope = `${day}/${region}/${named}/aws4_request`;
  const key = [day, region, named, "aws4_request"].reduce<Buffer>((last, part) => hmac(last, part), Buffer.from(`AWS4${secret}`));
  const expected = hmac(key, ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n"));
  if (!timingSafeEqual(expected, Buffer.from(signature, "hex"))) {
    const message =
      "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing " +
      "method. Consult the service documentation for details.";
    throw refused(403, "InvalidSignatureException", message);
  }
  return id;
}

function checkTime(time: string, now: Date): void {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time) ?? [];
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.map(Number);
  const late = now.getTime() - Date.UTC(year, month - 1, day, hour, minute, second);
  if (Math.abs(late) <= skewMsMax) return;
  const bound = new Date(now.getTime() + (late > 0 ? -skewMsMax : skewMsMax));
  const message =
    late > 0
      ? `Signature expired: ${time} is now earlier than ${compact(bound)} (${compact(now)} - 5 min.)`
      : `Signature not yet current: ${time} is still later than ${compact(bound)} (${compact(now)} + 5 min.)`;
  throw refused(403, "InvalidSignatureException", message);
}

function compact(time: Date): string {
  return time.toISOString().replace(/[-:]|\.\d+/g, "");
}

function secretOf(id: string, token: unknown): string {
  if (id === accessKeyId && token === undefined) return secretAccessKey;
  const made = temporaryKeys(id);
  if (!id.startsWith("ASIA") || token !== made.sessionToken)
    throw refused(403, "UnrecognizedClientException", "The security token included in the request is invalid.");
  return made.secretAccessKey;
}

/** What STS gives out for an id; the id itself names the role's session. */
export function temporaryKeys(id: string): { secretAccessKey: string; sessionToken: string } {
  return { secretAccessKey: sha256(`secret:${id}`).slice(0, 40), sessionToken: `FwoGZXIvYXdzE${sha256(`token:${id}`)}` };
}

function refused(status: number, code: string, message: string): Refused {
  return new Refused({ status, type: "invalid_request_error", code, message });
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(text: string | Buffer): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
