// What an OpenID provider is asked, how often, and what the log may say of its refusals.
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Calls, openCalls, type Flow } from "../../src/identity/calls.ts";
import { openidProvider } from "../../src/identity/openid.ts";
import { clientId, clientSecret, type OpenidProvider, redirectUri, startOpenidProvider } from "../support/openid-provider.ts";

let provider: OpenidProvider;
let calls: Calls;

beforeAll(async () => {
  provider = await startOpenidProvider();
  calls = openCalls();
});

afterAll(async () => {
  await calls.close();
  await provider.close();
});

const connect = (issuer = provider.issuer, through = calls) =>
  openidProvider({ name: "idp", clientId, clientSecret, scope: null, groups: null, issuer: new URL(issuer) }, through);

function flow(): Flow {
  return { redirectUri, nonce: randomBytes(8).toString("hex"), codeVerifier: randomBytes(32).toString("base64url") };
}

function token({ nonce }: Flow, change: Record<string, unknown> = {}) {
  const nowSec = Math.floor(Date.now() / 1000);
  const claims = { iss: provider.issuer, aud: clientId, sub: "ada", iat: nowSec, exp: nowSec + 300, nonce };
  return provider.token({ ...claims, email: "ada@example.com", email_verified: true, ...change });
}

test("discovery and keys are asked for once by any number of sign-ins", async () => {
  provider.asked.clear();
  const idp = connect();
  const prove = () => {
    const started = flow();
    return idp.proveByIdToken!(started, token(started));
  };
  const answers = [...(await Promise.all(Array.from({ length: 10 }, prove))), await prove()];
  for (const answer of answers)
    expect(answer).toEqual({ kind: "answer", value: { roles: null, issuer: provider.issuer, subject: "ada", email: "ada@example.com" } });
  expect(Object.fromEntries(provider.asked)).toEqual({ "/.well-known/openid-configuration": 1, "/jwks": 1 });
});

test("a boolean that the provider writes as a string counts", async () => {
  const started = flow();
  expect(await connect().proveByIdToken!(started, token(started, { email_verified: "true" }))).toMatchObject({ kind: "answer" });
});

describe("refused: the reason is a word, never a part of the token", () => {
  test.each<[Record<string, unknown>, string]>([
    [{ aud: "another-app" }, "OAUTH_JWT_CLAIM_COMPARISON_FAILED"],
    [{ nonce: "another" }, "OAUTH_JWT_CLAIM_COMPARISON_FAILED"],
    [{ iss: "https://accounts.example.com" }, "OAUTH_JWT_CLAIM_COMPARISON_FAILED"],
    [{ exp: 1_000 }, "OAUTH_JWT_TIMESTAMP_CHECK_FAILED"],
    [{ email_verified: false }, "the address is not verified"],
    [{ email: "two words@example.com" }, "no usable address"],
  ])("%j", async (change, reason) => {
    const started = flow();
    expect(await connect().proveByIdToken!(started, token(started, change))).toEqual({ kind: "refused", reason });
  });
});

describe("unavailable", () => {
  test("nobody listens at the issuer; the fault is not remembered", async () => {
    const idp = connect("http://127.0.0.1:1");
    for (const _round of [1, 2])
      expect(await idp.authorizationUrl({ ...flow(), state: "s" })).toEqual({ kind: "unavailable", reason: "discovery: ECONNREFUSED" });
  });

  test("the issuer calls itself by another name", async () => {
    const answer = await connect(provider.issuer.replace("127.0.0.1", "localhost")).authorizationUrl({ ...flow(), state: "s" });
    expect(answer).toEqual({ kind: "unavailable", reason: "discovery: OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED" });
  });

  test.each<[string, string, number, string]>([
    ["a page instead of a document", "text/html", 10, "discovery: OAUTH_RESPONSE_IS_NOT_JSON"],
    ["an endless document", "application/json", 2 * 1024 * 1024, "discovery: UND_ERR_RES_EXCEEDED_MAX_SIZE"],
  ])("%s", async (_what, type, bytes, reason) => {
    const http = createServer((_request, response) => response.writeHead(200, { "content-type": type }).end(Buffer.alloc(bytes, " ")));
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    expect(await connect(issuer).authorizationUrl({ ...flow(), state: "s" })).toEqual({ kind: "unavailable", reason });
    http.closeAllConnections();
    http.close();
  });

  test("a token is not refused where the keys to check it can't be had", async () => {
    const http = createServer((_request, response) => {
      const endpoints = { jwks_uri: "http://127.0.0.1:1/jwks", id_token_signing_alg_values_supported: ["RS256"] };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ issuer, ...endpoints }));
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const started = flow();
    const answer = await connect(issuer).proveByIdToken!(started, token(started, { iss: issuer }));
    expect(answer).toEqual({ kind: "unavailable", reason: "ECONNREFUSED" });
    http.closeAllConnections();
    http.close();
  });

  test("a provider that is slow is given up", async () => {
    const http = createServer(() => undefined);
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const started = performance.now();
    const hasty = process.env.CI ? calls : openCalls({ deadlineMs: 1_000 }); // in .ci/run the shipped 10 seconds
    const slow = connect(`http://127.0.0.1:${(http.address() as AddressInfo).port}`, hasty);
    const answer = await slow.authorizationUrl({ ...flow(), state: "s" });
    if (hasty !== calls) await hasty.close();
    expect(answer).toEqual({ kind: "unavailable", reason: expect.stringMatching(/TimeoutError|UND_ERR_HEADERS_TIMEOUT/) });
    expect(performance.now() - started).toBeLessThan(12_000);
    http.closeAllConnections();
    http.close();
  });
});
