// Several identities of one cloud provider: key pairs and roles of Amazon, accounts of Google, applications of Entra. Each request is signed, or
// carries a token, by one of them in turn; one that is refused or gets no token rests.
import { expect, test } from "vitest";
import { accessKeyId, roleArn, secretAccessKey } from "../../../src/simulator/bedrock/signature.ts";
import { serviceAccount } from "../../../src/simulator/vertex/vertex.ts";
import { chatWorld, language, provider } from "./chat-gateway.ts";

const pair = { access_key_id_env: "CLOUD_ID", secret_access_key_env: "CLOUD_SECRET" };
const wrongPair = { access_key_id_env: "CLOUD_ID", secret_access_key_env: "CLOUD_ID" };
const role = { ...pair, role_arn: roleArn };
const strangeRole = { ...pair, role_arn: roleArn.replace("svc-gateway", "another") };
const account = serviceAccount("simulator:/vertex/token");
const entra = (client_secret_env: string, client_id = "app-1") => ({
  entra: { tenant: "contoso.onmicrosoft.com", client_id, authority: "simulator:/azure/login", client_secret_env },
});

/** By the name of a provider: its protocol, and its credentials, the first of weight 2. */
const lists = {
  "bedrock-both": ["bedrock", { keys: pair, role }],
  "bedrock-refused": ["bedrock", { wrong: wrongPair, keys: pair }],
  "bedrock-no-role": ["bedrock", { strange: strangeRole, role }],
  "bedrock-unset": ["bedrock", { unset: { access_key_id_env: "NOT_SET", secret_access_key_env: "NOT_SET" }, bearer: { api_key_env: "CLOUD_SECRET" } }], // prettier-ignore
  "bedrock-limited": ["bedrock", { keys: pair, role }],
  "bedrock-none": ["bedrock", { wrong: wrongPair, strange: strangeRole }],
  "vertex-both": ["vertex", { account: { service_account_env: "ACCOUNT" }, machine: {} }],
  "vertex-deleted": ["vertex", { deleted: { service_account_env: "DELETED" }, account: { service_account_env: "ACCOUNT" } }],
  "vertex-limited": ["vertex", { account: { service_account_env: "ACCOUNT" }, machine: {} }],
  "azure-both": ["azure-openai", { first: entra("AZURE_SECRET"), second: entra("AZURE_SECRET", "app-2") }],
  "azure-wrong": ["azure-openai", { wrong: entra("WRONG_SECRET"), key: { api_key_env: "AZURE_KEY" } }],
  "azure-limited": ["azure-openai", { first: entra("AZURE_SECRET"), key: { api_key_env: "AZURE_KEY" } }],
} as const satisfies Record<string, readonly [string, Record<string, object>]>;
type Name = keyof typeof lists;

const places: Record<string, object> = {
  bedrock: { base_url: "simulator:/bedrock", region: "eu-central-1" },
  vertex: { base_url: "simulator:/vertex", project: "sim-project", location: "global" },
  "azure-openai": { base_url: "simulator:/azure" },
};
const upstream = (name: Name) => (name.endsWith("limited") ? `${name}+sim-429+sim-retry-after-60+sim-flaky-1` : "able");

const names = Object.keys(lists) as Name[];
const world = chatWorld(
  names.map((name) => language(`demo/${name}`, [{ provider: name, model: upstream(name) }])),
  {
    providers: names.map((name) => {
      const [protocol, listed] = lists[name];
      const credentials = Object.entries(listed).map(([id, identity], index) => ({
        id,
        ...(index === 0 ? { weight: 2 } : {}),
        ...identity,
      }));
      return provider(name, { protocol, ...places[protocol], credentials });
    }),
  },
  {
    env: {
      ...{ CLOUD_ID: accessKeyId, CLOUD_SECRET: secretAccessKey, AWS_ENDPOINT_URL_STS: "simulator:/bedrock/sts" },
      ...{ ACCOUNT: JSON.stringify(account), GCE_METADATA_HOST: "simulator:/vertex/metadata" },
      DELETED: JSON.stringify({ ...account, client_email: "gone@sim-project.iam.gserviceaccount.com" }),
      ...{
        AZURE_SECRET: "entra-client-secret-0123456789",
        WRONG_SECRET: "wrong-client-secret-0123456789",
        AZURE_KEY: "azure-key-0123456789",
      },
    },
  },
);

const authorized = () =>
  world.gateway.simulator.calls().flatMap(({ path, headers }) => (/\/model\/|\/publishers\/|\/openai\//.test(path) ? [headers] : []));

/** The attempts that so many calls made, one after the other; each call is served. */
async function attemptsOf(name: Name, calls: number): Promise<any[]> {
  const caller = await world.account();
  const attempts: unknown[] = [];
  for (let call = 0; call < calls; call++) {
    const reply = await world.chat(caller, { model: `demo/${name}` });
    expect([reply.status, reply.headers["x-svc-fallback-layer"]], reply.text).toEqual([200, undefined]);
    attempts.push(...(await world.logOf(reply))!.attempts);
  }
  expect(attempts).toHaveLength(calls);
  return attempts;
}

test.each([
  ["bedrock-both", ["keys", "role", "keys"], [/Credential=AKIA/, /Credential=ASIA/, /Credential=AKIA/]],
  ["vertex-both", ["account", "machine", "account"], [/^Bearer ya29/, /^Bearer ya29/, /^Bearer ya29/]],
  ["azure-both", ["first", "second", "first"], [/^Bearer /, /^Bearer /, /^Bearer /]],
] as const)("%s: requests are spread by weight, each by its own identity", async (name, order, forms) => {
  expect((await attemptsOf(name, 3)).map(({ credential }) => credential)).toEqual(order);
  const sent = authorized().map(({ authorization }) => String(authorization));
  sent.forEach((one, index) => expect(one).toMatch(forms[index]!));
  const identities = sent.map((one) => /Credential=\w+|Bearer .*/.exec(one)![0]);
  expect([identities[0] === identities[2], identities[0] === identities[1]]).toEqual([true, false]);
});

test.each([
  ["bedrock-refused", "wrong", "keys", { status: 403, cause: "credentials", detail: /refuses the credentials/ }],
  ["bedrock-no-role", "strange", "role", { status: null, cause: "credentials", detail: /role can't be assumed.*AccessDenied/ }],
  ["vertex-deleted", "deleted", "account", { status: null, cause: "credentials", detail: /account was deleted/ }],
  ["azure-wrong", "wrong", "key", { status: null, cause: "credentials", detail: /AADSTS7000215/ }],
] as const)(
  "%s: another serves the same call at once, which is no failure of the route, and it rests",
  async (name, rests, serves, why) => {
    const [first, ...more] = await attemptsOf(name, 3);
    const { detail, ...rest } = why;
    expect(first).toMatchObject({ outcome: "ok", credential: serves, refused: [{ credential: rests, outcome: "our_fault", ...rest }] });
    expect(first.refused[0].detail).toMatch(detail);
    expect(more.map(({ credential, refused }) => [credential, refused])).toEqual([[serves, undefined], [serves, undefined]]); // prettier-ignore
  },
);

test.each([
  ["bedrock-limited", "keys", "role"],
  ["vertex-limited", "account", "machine"],
  ["azure-limited", "first", "key"],
] as const)("%s: one that is rate-limited rests as its host asks", async (name, rests, serves) => {
  const [first, ...more] = await attemptsOf(name, 3);
  expect(first).toMatchObject({ credential: serves, refused: [{ credential: rests, outcome: "rate_limited", status: 429 }] });
  expect(more.map(({ credential }) => credential)).toEqual([serves, serves]);
});

test("one whose variables are not set is left out; a key may stand beside identities", async () => {
  expect((await attemptsOf("bedrock-unset", 2)).map(({ credential }) => credential)).toEqual(["bearer", "bearer"]);
  expect(authorized().map(({ authorization }) => authorization)).toEqual([`Bearer ${secretAccessKey}`, `Bearer ${secretAccessKey}`]);
});

test("503 provider_unavailable once none serves: each was asked once, the attempt names the last, and no secret is in the log", async () => {
  const reply = await world.chat(await world.account(), { model: "demo/bedrock-none" });
  expect([reply.status, reply.json.error.code]).toEqual([503, "provider_unavailable"]);
  const { attempts } = (await world.logOf(reply))!;
  expect(attempts).toMatchObject([
    { outcome: "our_fault", credential: "strange", cause: "credentials", refused: [{ credential: "wrong" }] },
  ]);
  expect(JSON.stringify(attempts)).not.toContain(secretAccessKey);
});
