// A provider's list of credentials in the catalog file: what is refused, and what a missing variable does.
import { describe, expect, test } from "vitest";
import { checkCatalog, loadCatalog } from "../../src/catalog/load.ts";
import { language } from "../operations/chat/chat-gateway.ts";

const two = [
  { id: "a", api_key_env: "KEY_A", weight: 3 },
  { id: "b", api_key_env: "KEY_B" },
];
const entra = { tenant: "t", client_id: "c", client_secret_env: "S" };
const pair = { access_key_id_env: "ID", secret_access_key_env: "SECRET" };
const role = "arn:aws:iam::123456789012:role/svc";
const vertex = { protocol: "vertex", base_url: undefined, project: "my-project", location: "global" };
const bedrock = { protocol: "bedrock", base_url: undefined, region: "eu-central-1" };
const fileOf = (more: object) =>
  JSON.stringify({
    providers: [{ id: "north", protocol: "openai", base_url: "https://north.example/v1", credentials: two, ...more }],
    models: [language("demo/chat", [{ provider: "north", model: "m" }])],
  });
const messagesOf = (more: object) => checkCatalog(fileOf(more)).problems.map(({ message }) => message);

describe("svc catalog check", () => {
  test.each([
    ["a list", {}],
    ["other headers beside it", { headers: { "x-team": "${TEAM}" } }],
    ["Azure's", { protocol: "azure-openai" }],
    ["applications of Entra beside a key", { protocol: "azure-openai", credentials: [two[0], { id: "b", entra }] }],
    ["Google's accounts, the machine's among them", { ...vertex, credentials: [{ id: "a", service_account_env: "A" }, { id: "machine" }] }],
    [
      "Amazon's key pairs, roles and keys",
      {
        ...bedrock,
        credentials: [
          { id: "a", ...pair },
          { id: "b", ...pair, role_arn: role },
          { ...two[0], id: "c" },
        ],
      },
    ],
    [
      "roles of one machine",
      { ...bedrock, credentials: [{ id: "a", role_arn: role }, { id: "b", role_arn: `${role}-2` }, { id: "machine" }] },
    ],
  ])("takes %s", (_name, more) => {
    expect(messagesOf(more)).toEqual([]);
  });

  test.each([
    [
      "a key beside it",
      { api_key_env: "KEY" },
      "providers[0].credentials: is one way to authorize, api_key_env is another: name one of them",
    ],
    [
      "an application beside it",
      { protocol: "azure-openai", entra: { tenant: "t", client_id: "c", client_secret_env: "S" } },
      "providers[0].credentials: is one way to authorize, entra is another: name one of them",
    ],
    ["a queue's", { protocol: "fal" }, /^providers\[0\]\.credentials: are for openai, .*over fal work belongs to one account$/],
    ["one id twice", { credentials: [two[0], { ...two[1], id: "a" }] }, 'providers[0].credentials[1].id: "a" stands there twice'],
    [
      "one variable twice",
      { credentials: [two[0], { ...two[1], api_key_env: "KEY_A" }] },
      'providers[0].credentials[1].api_key_env: "KEY_A" stands there twice',
    ],
    [
      "a header that carries it",
      { headers: { Authorization: "Bearer ${KEY}" } },
      "providers[0].headers.Authorization: carries the credential: leave it to credentials",
    ],
    [
      "Google's beside a list",
      { ...vertex, service_account_env: "A", credentials: [{ id: "a" }] },
      "providers[0].credentials: is one way to authorize, service_account_env is another: name one of them",
    ],
    ["one without a key", { credentials: [{ id: "a" }] }, "providers[0].credentials[0]: needs api_key_env"],
    [
      "one of Azure's without either",
      { protocol: "azure-openai", credentials: [{ id: "a" }] },
      "providers[0].credentials[0]: needs api_key_env or entra",
    ],
    [
      "another protocol's",
      { credentials: [{ ...two[0], role_arn: role }] },
      "providers[0].credentials[0].role_arn: belongs to providers of the bedrock protocol only",
    ],
    [
      "half a key pair",
      { ...bedrock, credentials: [{ id: "a", access_key_id_env: "ID" }] },
      /^providers\[0\]\.credentials\[0\]: "secret_access_key_env" is missing/,
    ],
    [
      "two ways in one",
      { protocol: "azure-openai", credentials: [{ ...two[0], entra }] },
      /^providers\[0\]\.credentials\[0\]\.entra: is one way to authorize, api_key_env is another/,
    ],
    [
      "half an application",
      { protocol: "azure-openai", credentials: [{ id: "a", entra: { client_secret_env: "S" } }] },
      /^providers\[0\]\.credentials\[0\]\.entra: "tenant" is missing/,
    ],
    ["a key for an account", { ...vertex, credentials: [two[0]] }, /^providers\[0\]\.credentials\[0\]\.api_key_env: has no use here/],
    [
      "one identity twice",
      {
        ...bedrock,
        credentials: [
          { id: "a", ...pair },
          { id: "b", ...pair },
        ],
      },
      'providers[0].credentials[1]: is the same as "a"',
    ],
    [
      "a header for a token",
      { protocol: "azure-openai", credentials: [{ id: "a", entra }], headers: { authorization: "x" } },
      /^providers\[0\]\.headers\.authorization: carries the credential/,
    ],
    [
      "a login service that is none",
      { protocol: "azure-openai", credentials: [{ id: "a", entra: { ...entra, authority: "ftp://x" } }] },
      /^providers\[0\]\.credentials\[0\]\.entra\.authority: must be an http/,
    ],
    ["none", { credentials: [] }, /credentials/],
    ["no weight", { credentials: [{ ...two[0], weight: 0 }] }, /weight/],
    ["an unknown field", { credentials: [{ ...two[0], key: "sk-secret" }] }, /key/],
    ["a secret in place of a variable", { credentials: [{ id: "a", api_key_env: "sk-secret" }] }, /api_key_env/],
  ])("refuses %s", (_name, more, message) => {
    const [found] = messagesOf(more);
    if (typeof message === "string") expect(found).toBe(message);
    else expect(found).toMatch(message);
    expect(found).not.toContain("sk-secret");
  });
});

describe("loading", () => {
  const load = (environment: Record<string, string>) => loadCatalog({ text: fileOf({}), environment });
  const providerOf = (environment: Record<string, string>) => load(environment).catalog.providers.get("north")!;

  test("takes the keys from the environment; they are secrets of the provider", () => {
    expect(providerOf({ KEY_A: " sk-a ", KEY_B: "sk-b" })).toMatchObject({
      apiKey: null,
      credentials: [
        { id: "a", key: "sk-a", weight: 3 },
        { id: "b", key: "sk-b", weight: 1 },
      ],
      secrets: ["sk-a", "sk-b"],
    });
  });

  test("an identity is left out where any of its variables is not set; those of the others are secrets", () => {
    const credentials = [{ id: "a", ...pair }, { id: "b", access_key_id_env: "ID", secret_access_key_env: "OTHER" }, { id: "machine", weight: 2 }]; // prettier-ignore
    const { catalog, unset } = loadCatalog({
      text: fileOf({ ...bedrock, credentials }),
      environment: { ID: "AKIA-of-ours", SECRET: "its-secret" },
    });
    const { authorize, secrets, credentials: kept } = catalog.providers.get("north")!;
    expect(kept).toMatchObject([{ id: "a", weight: 1 }, { id: "machine", weight: 2 }]); // prettier-ignore
    expect([authorize, kept!.every(({ key, authorize: own }) => key === undefined && typeof own === "function")]).toEqual([
      undefined,
      true,
    ]);
    expect(new Set(secrets)).toEqual(new Set(["AKIA-of-ours", "its-secret"]));
    expect(unset).toEqual([{ provider: "north", variable: "OTHER", header: null, credential: "b" }]);
  });

  test("a service account's key is a secret, and what is none stops the start", () => {
    const text = fileOf({ ...vertex, credentials: [{ id: "a", service_account_env: "ACCOUNT" }] });
    expect(() => loadCatalog({ text, environment: { ACCOUNT: "/etc/account.json" } })).toThrow(
      /credentials\[0\]\.service_account_env: the variable ACCOUNT does not hold the JSON of a service account's key/,
    );
    const ACCOUNT = JSON.stringify({
      client_email: "a@b",
      private_key: "-----BEGIN PRIVATE KEY-----\nAAAABBBBCCCC\n-----END PRIVATE KEY-----",
    });
    expect(loadCatalog({ text, environment: { ACCOUNT } }).catalog.providers.get("north")!.secrets).toEqual(["AAAABBBBCCCC"]);
  });

  test("leaves out one whose variable is not set, with a warning; without any the provider is called without a key", () => {
    const { catalog, warnings, unset } = load({ KEY_B: "sk-b" });
    expect(catalog.providers.get("north")!.credentials).toEqual([{ id: "b", key: "sk-b", weight: 1 }]);
    expect(warnings).toEqual(['catalog: provider "north" is called without the credential "a": the variable KEY_A is not set']);
    expect(unset).toEqual([{ provider: "north", variable: "KEY_A", header: null, credential: "a" }]);
    expect(providerOf({})).not.toHaveProperty("credentials");
    expect(load({}).warnings).toHaveLength(2);
  });

  test("a key that no header can carry stops the start, and is not repeated", () => {
    expect(() => load({ KEY_A: "two\nlines", KEY_B: "b" })).toThrow(
      /credentials\[0\]\.api_key_env: the variable KEY_A holds characters that no header can carry/,
    );
  });
});
