// How an application of Entra proves itself, and how a machine gets a token of its own: against the simulator, which checks as Microsoft's
// services do. No sentence holds a secret, a key or a token.
import { execFileSync } from "node:child_process";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { entraIdentityOf } from "../../../src/catalog/azure-provider.ts";
import { entraAuthorization } from "../../../src/providers/credentials/entra.ts";
import { failureOf, type UpstreamError } from "../../../src/providers/errors/upstream-error.ts";
import { useSimulator } from "../../simulator/simulator-fixture.ts";
import { scratchFolder } from "../../support/leftovers.ts";
import { json } from "../openai/chat-fixture.ts";
import { startHost } from "../upstream-fixture.ts";

const folder = scratchFolder("svc-entra-");
const at = (name: string) => join(folder, name);
const simulator = useSimulator();
const application = { tenant: "contoso.onmicrosoft.com", client_id: "app-1", authority: "simulator:/azure/login" };
const file = (name: string, text: string) => writeFileSync(at(name), text);
const given = async (path: string) => (await (await fetch(`${simulator.current.url}/azure/${path}`)).json()) as Record<string, string>;

let pem: string;
let token: string;
beforeAll(async () => {
  pem = (await given("certificate"))["pem"]!;
  token = (await given("federated-token"))["token"]!;
  file("both.pem", pem);
  file("token", `${token}\n`);
  file("key.pem", pem.slice(0, pem.indexOf("-----BEGIN CERTIFICATE")));
  file("certificate.pem", pem.slice(pem.indexOf("-----BEGIN CERTIFICATE")));
  file("huge", "x".repeat(70_000));
  file("words", "root:x:0:0:root");
  mkdirSync(at("folder"));
  const another = readFileSync(new URL("another-application.pem", import.meta.url), "utf8");
  const [key, own] = another.split(/(?=-----BEGIN CERTIFICATE)/) as [string, string];
  file("other.pem", another);
  file("chain.pem", own + pem);
  file("mixed.pem", key + pem.slice(pem.indexOf("-----BEGIN CERTIFICATE")));
  const made = (kind: "rsa" | "ec", options: object, locked = {}) =>
    (generateKeyPairSync as (kind: string, options: object) => { privateKey: KeyObject })(kind, options)
      .privateKey.export({ type: "pkcs8", format: "pem", ...locked })
      .toString();
  file("locked.pem", made("rsa", { modulusLength: 2048 }, { cipher: "aes-128-cbc", passphrase: "word" }) + own);
  file("small.pem", made("rsa", { modulusLength: 1024 }) + own);
  file("curve.pem", made("ec", { namedCurve: "prime256v1" }) + own);
  file("broken.pem", pem.replace(/(BEGIN PRIVATE KEY-----\n).{40}/, "$1AAAA"));
});

interface Asked {
  entra: object;
  environment?: Record<string, string>;
  clock?: () => Date;
}

function open({ entra, environment = {}, clock }: Asked) {
  const resolve = (address: string) => address.replace(/^simulator:/, simulator.current.url);
  const provider = { id: "azure", protocol: "azure-openai", entra } as Parameters<typeof entraIdentityOf>[0];
  const { authorize } = entraAuthorization(entraIdentityOf(provider, environment, resolve)!, clock);
  return async () => (await authorize({ method: "POST", origin: "http://x", path: "/", headers: {}, body: "" }))["authorization"];
}

async function faultOf(asked: Asked) {
  const error = await open(asked)().then(
    () => null,
    (thrown: unknown) => thrown as UpstreamError,
  );
  const failure = failureOf(error!)!;
  const said = JSON.stringify([failure, error!.message]);
  expect(said).not.toMatch(/PRIVATE KEY|eyJ|root:x/);
  expect(said).not.toContain(token.slice(-40));
  return failure;
}

const bearer = /^Bearer sim\./;
const certificate = (name: string, more: object = {}) => ({ ...application, certificate_file: at(name), ...more });
const federated = (name: string, more: object = {}) => ({ ...application, federated_token_file: at(name), ...more });
const formsSent = () =>
  simulator.current.calls().map(({ body }) => Object.fromEntries(new URLSearchParams(body)) as Record<string, string>);
const partsOf = (assertion: string) =>
  assertion.split(".", 2).map((part) => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>);

describe("a certificate", () => {
  test.each(["both.pem", "chain.pem"])("%s: signs an assertion that the login service checks", async (name) => {
    expect(await open({ entra: certificate(name) })()).toMatch(bearer);
  });

  test("the assertion is a new one each time, for ten minutes, and names the certificate by its SHA-256", async () => {
    let now = Date.now();
    const host = await startHost(json(200, '{"access_token":"t","expires_in":60}'));
    const ask = open({ entra: { ...certificate("both.pem"), authority: `${host.url}/` }, clock: () => new Date(now) });
    await ask();
    now += 3_600_000;
    file("both.pem", readFileSync(at("other.pem"), "utf8")); // replaced while the gateway runs
    await ask();
    file("both.pem", pem);
    const forms = host.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
    expect(forms[0]).toMatchObject({
      ...{ grant_type: "client_credentials", client_id: "app-1", scope: "https://cognitiveservices.azure.com/.default" },
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    });
    expect(forms[0]).not.toHaveProperty("client_secret");
    const [[head, claims], [otherHead, otherClaims]] = forms.map((form) => partsOf(form["client_assertion"]!)) as [any, any];
    expect(head).toEqual({ alg: "PS256", typ: "JWT", "x5t#S256": expect.stringMatching(/^[\w-]{43}$/) });
    const url = `${host.url}/contoso.onmicrosoft.com/oauth2/v2.0/token`;
    expect(claims).toMatchObject({ aud: url, iss: "app-1", sub: "app-1", jti: expect.any(String) });
    expect([claims.exp - claims.nbf, claims.iat - claims.nbf]).toEqual([600, 0]);
    expect(otherClaims.jti).not.toBe(claims.jti);
    expect(otherHead["x5t#S256"]).not.toBe(head["x5t#S256"]);
  });

  test.each([
    ["none.pem", /^the file \S+none.pem does not exist$/],
    ["folder", /folder is no file of at most 64 KB$/],
    ["huge", /huge is no file of at most 64 KB$/],
    ["words", /holds no private key in PEM$/],
    ["certificate.pem", /holds no private key in PEM$/],
    ["key.pem", /holds no certificate in PEM$/],
    ["mixed.pem", /^no certificate in \S+ belongs to its private key$/],
    ["locked.pem", /has a passphrase: store it without one$/],
    ["small.pem", /is not one of RSA with 2,048 bits at least, which Entra asks for$/],
    ["curve.pem", /is not one of RSA with 2,048 bits at least, which Entra asks for$/],
    ["broken.pem", /^the private key in \S+ can't be read$/],
    ["other.pem", /^Entra gave no token: invalid_client, AADSTS700027 \(the application does not have this certificate\)$/],
  ])("%s: refused, and the operator learns why", async (name, detail) => {
    expect(await faultOf({ entra: certificate(name) })).toEqual({ cause: "credentials", detail: expect.stringMatching(detail) });
  });

  test("a wrong clock is told apart, and so is a certificate that has expired", async () => {
    const clock = (ms: number) => ({ entra: certificate("both.pem"), clock: () => new Date(Date.now() + ms) });
    const skewed = { cause: "clock_skew", detail: expect.stringContaining("this machine's clock is wrong") };
    expect(await faultOf(clock(3_600_000))).toEqual(skewed);
    expect(await faultOf(clock(-3_600_000))).toEqual(skewed);
    expect((await faultOf({ ...clock(0), clock: () => new Date("2060-01-01") })).detail).toMatch(/has expired: make another$/);
  });

  test("/dev/zero and a pipe are not read", async () => {
    execFileSync("mkfifo", [at("pipe")]);
    for (const path of ["/dev/zero", at("pipe")])
      expect((await faultOf({ entra: { ...application, certificate_file: path } })).detail).toBe(`${path} is no file of at most 64 KB`);
  });
});

describe("a federated token", () => {
  test("is what the file holds, read for each token", async () => {
    expect(await open({ entra: federated("token") })()).toMatch(bearer);
    expect(formsSent()).toMatchObject([{ client_assertion: token, client_id: "app-1" }]);
  });

  test("the machine's own identity is one where the variables of workload identity say so; client_id in the file wins", async () => {
    const environment = {
      ...{ AZURE_FEDERATED_TOKEN_FILE: at("token"), AZURE_TENANT_ID: "tenant-2", AZURE_CLIENT_ID: "app-2" },
      AZURE_AUTHORITY_HOST: `${simulator.current.url}/azure/login/`,
    };
    expect(await open({ entra: { managed_identity: true }, environment })()).toMatch(bearer);
    expect(await open({ entra: { managed_identity: true, client_id: "app-3" }, environment })()).toMatch(bearer);
    expect(simulator.current.calls().map(({ path }) => path)).toEqual(Array(2).fill("/azure/login/tenant-2/oauth2/v2.0/token"));
    expect(formsSent().map(({ client_id: id }) => id)).toEqual(["app-2", "app-3"]);
  });

  test("what is no token never leaves the machine", async () => {
    expect((await faultOf({ entra: federated("words") })).detail).toMatch(/words holds no token$/);
    expect((await faultOf({ entra: federated("none") })).detail).toMatch(/none does not exist$/);
    expect(simulator.current.calls()).toEqual([]);
  });

  test.each([
    ["signature", (parts: string[]) => [...parts.slice(0, 2), "AAAA"], "AADSTS700211", "names the token's issuer"],
    ["subject", null, "AADSTS700213", "names the token's subject"],
    ["end", null, "AADSTS700024", "has expired"],
  ])("one whose %s is wrong: Entra's code, and what it means", async (what, change, code, meaning) => {
    file("changed", change === null ? "a.b.c" : change(token.split(".")).join("."));
    const description = `${code}: No ${what}.`;
    const host = await startHost(json(401, JSON.stringify({ error: "invalid_client", error_description: description })));
    const entra = change === null ? { ...federated("changed"), authority: host.url } : federated("changed");
    const { detail } = await faultOf({ entra });
    expect(detail).toContain(`Entra gave no token: invalid_client, ${code} (`);
    expect(detail).toContain(meaning);
  });
});

describe("the machine's own identity", () => {
  const metadata = { AZURE_POD_IDENTITY_AUTHORITY_HOST: "simulator:/azure" };
  const appService = { IDENTITY_ENDPOINT: "simulator:/azure/msi/token", IDENTITY_HEADER: "header-0123456789" };

  test("by the metadata server, and a user-assigned one by its client_id", async () => {
    expect(await open({ entra: { managed_identity: true }, environment: metadata })()).toMatch(bearer);
    expect(await open({ entra: { managed_identity: true, client_id: "own-1" }, environment: metadata })()).toMatch(bearer);
    const calls = simulator.current.calls();
    expect(calls.map(({ method, headers }) => [method, headers["metadata"]])).toEqual(Array(2).fill(["GET", "true"]));
    const query = "api-version=2018-02-01&resource=https%3A%2F%2Fcognitiveservices.azure.com";
    expect(calls.map(({ path }) => path.split("?")[1])).toEqual([query, `${query}&client_id=own-1`]);
  });

  test("by App Service, whose answer says when the token ends in seconds since 1970", async () => {
    let now = Date.now();
    const ask = open({ entra: { managed_identity: true }, environment: { ...metadata, ...appService }, clock: () => new Date(now) });
    expect(await ask()).toMatch(bearer);
    const [{ path, headers }] = simulator.current.calls() as [any];
    expect(path).toBe("/azure/msi/token?api-version=2019-08-01&resource=https%3A%2F%2Fcognitiveservices.azure.com");
    expect(headers["x-identity-header"]).toBe(appService.IDENTITY_HEADER);
    await ask();
    expect(simulator.current.calls()).toHaveLength(1);
    now += 3_600_000;
    await ask();
    expect(simulator.current.calls()).toHaveLength(2);
  });

  test.each([
    [
      "an identity that it does not have",
      { client_id: "wrong-1" },
      metadata,
      "this machine was not assigned the identity that client_id names",
    ],
    ["no resource", { scope: "/.default" }, metadata, /^this machine has no identity at Azure: assign it one, or name client_secret_env/],
    [
      "no metadata server",
      {},
      { AZURE_POD_IDENTITY_AUTHORITY_HOST: "http://127.0.0.1:1" },
      /^no metadata server of Azure's answers this machine: name client_secret_env/,
    ],
    [
      "a wrong header",
      {},
      { ...appService, IDENTITY_HEADER: "wrong-header-0123456789" },
      "App Service refuses the value of the variable IDENTITY_HEADER",
    ],
  ])("%s: the operator learns why", async (_name, more, environment, detail) => {
    const failure = await faultOf({ entra: { managed_identity: true, ...more }, environment: environment as Record<string, string> });
    expect(failure).toEqual({ cause: "credentials", detail: expect.stringMatching(detail) });
  });

  test("the metadata server refuses a request without its header, or one that was forwarded", async () => {
    const url = `${simulator.current.url}/azure/metadata/identity/oauth2/token?api-version=2018-02-01&resource=x`;
    for (const headers of [{}, { metadata: "true", "x-forwarded-for": "10.0.0.1" }] as Record<string, string>[])
      expect((await fetch(url, { headers })).status).toBe(400);
  });
});
