// A provider's list of credentials in the catalog file: what is refused, and what a missing variable does.
import { describe, expect, test } from "vitest";
import { checkCatalog, loadCatalog } from "../../src/catalog/load.ts";
import { language } from "../operations/chat/chat-gateway.ts";

const two = [
  { id: "a", api_key_env: "KEY_A", weight: 3 },
  { id: "b", api_key_env: "KEY_B" },
];
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
      /credentials\[0\]: the variable KEY_A holds characters that no header can carry/,
    );
  });
});
