// The keys of the catalog file that only Azure's OpenAI has: what is checked, and what a provider becomes.
import { describe, expect, test } from "vitest";
import { checkCatalog, loadCatalog } from "../../src/catalog/load.ts";

const application = { tenant: "contoso.onmicrosoft.com", client_id: "app-1" };
const entra = { ...application, client_secret_env: "AZURE_SECRET" };
const fileOf = (more: object, model: object = {}) =>
  JSON.stringify({
    providers: [{ id: "azure", protocol: "azure-openai", base_url: "https://contoso.openai.azure.com/", ...more }],
    models: [
      {
        ...{ id: "demo/chat", type: "language", context_window: 8000, max_output_tokens: 1000 },
        pricing: { mode: "per-token", input: 1, output: 2 },
        routes: [{ provider: "azure", model: "gpt" }],
        ...model,
      },
    ],
  });
const messagesOf = (text: string) => checkCatalog(text).problems.map(({ message }) => message);

describe("svc catalog check", () => {
  test.each([
    ["a key", { api_key_env: "AZURE_KEY" }],
    ["a version and Entra", { api_version: "2024-10-21", entra }],
    ["a certificate", { entra: { ...application, certificate_file: "/etc/svc/app.pem" } }],
    ["a federated token", { entra: { ...application, federated_token_file: "/var/run/token" } }],
    ["the machine's own identity", { entra: { managed_identity: true } }],
    ["a user-assigned one", { entra: { managed_identity: true, client_id: "own-1" } }],
    ["a preview", { api_version: "2025-04-01-preview" }],
  ])("takes %s", (_name, more) => {
    expect(messagesOf(fileOf(more))).toEqual([]);
  });

  test.each([
    [
      "both ways to authorize",
      { api_key_env: "AZURE_KEY", entra },
      "providers[0].entra: is one way to authorize, api_key_env is another: name one of them",
    ],
    [
      "the path of a deployment",
      { base_url: "https://x.openai.azure.com/openai/deployments/gpt" },
      expect.stringContaining("base_url: is the resource's address"),
    ],
    ["Entra elsewhere", { protocol: "openai", entra }, "providers[0].entra: belongs to providers of the azure-openai protocol only"],
    [
      "a version elsewhere",
      { protocol: "openai", api_version: "2024-10-21" },
      "providers[0].api_version: belongs to providers of the azure-openai protocol only",
    ],
    [
      "a login service that is no address",
      { entra: { ...entra, authority: "login" } },
      expect.stringContaining("entra.authority: must be an http or https address"),
    ],
    [
      "two ways to get a token",
      { entra: { ...entra, certificate_file: "/app.pem" } },
      "providers[0].entra.certificate_file: is one way to get a token, client_secret_env is another: name one of them",
    ],
    [
      "an application's token and the machine's",
      { entra: { ...entra, managed_identity: true } },
      "providers[0].entra.managed_identity: is one way to get a token, client_secret_env is another: name one of them",
    ],
    [
      "a machine with a tenant",
      { entra: { managed_identity: true, tenant: "x" } },
      "providers[0].entra.tenant: has no use with managed_identity: the machine knows it",
    ],
    [
      "no way at all",
      { entra: { ...application, managed_identity: false } },
      expect.stringMatching(/entra: needs one of client_secret_env, /),
    ],
    [
      "a certificate without a tenant",
      { entra: { client_id: "app-1", certificate_file: "/app.pem" } },
      'providers[0].entra: "tenant" is missing: a token is asked for an application of a tenant',
    ],
    ["a relative path", { entra: { ...application, certificate_file: "app.pem" } }, expect.stringContaining("certificate_file")],
    ["no secret", { entra: { tenant: "x", client_id: "y" } }, expect.stringContaining("client_secret_env")],
    [
      "a version whose streams have no usage",
      { api_version: "2024-06-01" },
      "providers[0].api_version: is older than 2024-09-01: streams have no usage there",
    ],
    ["a version that is none", { api_version: "latest" }, expect.stringContaining("api_version")],
  ])("refuses %s", (_name, more, message) => {
    expect(messagesOf(fileOf(more))).toEqual([message]);
  });
});

test("the secret is one of the provider's, and a missing one is named", () => {
  const text = fileOf({ entra });
  const load = (environment: Record<string, string>) => loadCatalog({ text, environment });
  const { catalog, unset } = load({ AZURE_SECRET: "a-secret-of-ours" });
  const [{ provider }] = catalog.models.get("demo/chat")!.routes as any;
  expect(unset).toEqual([]);
  expect(provider).toMatchObject({ apiKey: null, secrets: ["a-secret-of-ours"], authorize: expect.any(Function) });
  expect(load({}).unset).toEqual([{ provider: "azure", variable: "AZURE_SECRET", header: null }]);
  expect(() => load({ AZURE_SECRET: "ein Schlüssel\n\u{1F511}" })).toThrow(
    /the variable AZURE_SECRET holds characters that no header can carry/,
  );
});
