// Providers of the big clouds in the catalog file: what each protocol needs, what belongs to it alone, which variables it reads.
import { describe, expect, test } from "vitest";
import { loadCatalog } from "../../src/catalog/load.ts";
import { hideSecrets } from "../../src/providers/errors/hide-secrets.ts";
import { language } from "../operations/chat/chat-gateway.ts";

function load(provider: object, environment: Record<string, string> = {}) {
  const models = [language("demo/chat", [{ provider: "cloud", model: "chat" }])];
  const loaded = loadCatalog({ text: JSON.stringify({ providers: [{ id: "cloud", ...provider }], models }), environment });
  return { provider: loaded.catalog.providers.get("cloud")!, warnings: loaded.warnings };
}

function faultOf(provider: object, environment: Record<string, string> = {}): string {
  try {
    load(provider, environment);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

const keys = { access_key_id_env: "CLOUD_ID", secret_access_key_env: "CLOUD_SECRET" };
const bedrock = { protocol: "bedrock", region: "eu-central-1" };

describe("bedrock", () => {
  test("five lines: the address follows from the region, and the machine's own identity authorizes", () => {
    const { provider, warnings } = load(bedrock);
    expect(provider).toMatchObject({ baseUrl: "https://bedrock-runtime.eu-central-1.amazonaws.com", apiKey: null });
    expect(provider.authorize).toBeTypeOf("function");
    expect(warnings).toEqual([]);
    expect(load({ ...bedrock, region: "cn-north-1" }).provider.baseUrl).toBe("https://bedrock-runtime.cn-north-1.amazonaws.com.cn");
  });

  test("what is missing, and what doesn't belong, is named", () => {
    expect(faultOf({ protocol: "bedrock" })).toContain('"region" is missing');
    expect(faultOf({ ...bedrock, access_key_id_env: "A" })).toContain('"secret_access_key_env" is missing');
    expect(faultOf({ ...bedrock, secret_access_key_env: "A" })).toContain('"access_key_id_env" is missing');
    expect(faultOf({ ...bedrock, ...keys, api_key_env: "A" })).toContain("name one of them");
    expect(faultOf({ ...bedrock, role_arn: "role" })).toContain("role_arn");
    expect(faultOf({ ...bedrock, region: "Frankfurt" })).toContain("region");
    expect(faultOf({ protocol: "openai", base_url: "http://localhost/v1", region: "eu-central-1" })).toContain(
      "belongs to providers of the bedrock protocol only",
    );
    expect(faultOf({ protocol: "openai" })).toContain('"base_url" is missing');
  });

  test("variables that are not set are warned of, and their values are hidden", () => {
    const { warnings } = load({ ...bedrock, ...keys, session_token_env: "CLOUD_TOKEN" });
    expect(warnings.join()).toMatch(/CLOUD_ID.*CLOUD_SECRET.*CLOUD_TOKEN/s);
    const environment = { CLOUD_ID: "AKIAIOSFODNN7EXAMPLE", CLOUD_SECRET: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" };
    const { provider } = load({ ...bedrock, ...keys }, environment);
    expect(hideSecrets(`It was ${environment.CLOUD_SECRET} of ${environment.CLOUD_ID}.`, provider)).toBe("It was [hidden] of [hidden].");
  });
});

describe("vertex", () => {
  const vertex = { protocol: "vertex", project: "my-project-1", location: "europe-west4" };
  const key =
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END PRIVATE KEY-----\n";
  const account = { type: "service_account", client_email: "a@my-project-1.iam.gserviceaccount.com", private_key: key };
  const path = "/v1/projects/my-project-1/locations";

  test.each([
    ["europe-west4", "https://europe-west4-aiplatform.googleapis.com"],
    ["global", "https://aiplatform.googleapis.com"],
    ["eu", "https://aiplatform.eu.rep.googleapis.com"],
  ])("the address follows from the location %s, and the machine's own identity authorizes", (location, host) => {
    const { provider, warnings } = load({ ...vertex, location });
    expect(provider).toMatchObject({ baseUrl: `${host}${path}/${location}`, apiKey: null });
    expect(provider.authorize).toBeTypeOf("function");
    expect(warnings).toEqual([]);
  });

  test("an address that is named wins", () => {
    expect(load({ ...vertex, base_url: "http://localhost:4000/" }).provider.baseUrl).toBe(`http://localhost:4000${path}/europe-west4`);
  });

  test("what is missing, and what doesn't belong, is named", () => {
    expect(faultOf({ protocol: "vertex" })).toMatch(/"project" is missing.*"location" is missing/s);
    expect(faultOf({ ...vertex, api_key_env: "A" })).toContain("has no use here");
    expect(faultOf({ ...vertex, location: "../global" })).toContain("location");
    expect(faultOf({ ...vertex, project: "a/b" })).toContain("project");
    expect(faultOf({ protocol: "openai", base_url: "http://localhost/v1", project: "my-project-1" })).toContain(
      "belongs to providers of the vertex protocol only",
    );
  });

  test("a service account: its key is hidden, its other words are not; a variable that is not set is warned of", () => {
    const named = { ...vertex, service_account_env: "ACCOUNT" };
    expect(load(named).warnings.join()).toContain("ACCOUNT");
    const { provider, warnings } = load(named, { ACCOUNT: JSON.stringify(account, null, 2) });
    expect(warnings).toEqual([]);
    expect(hideSecrets("It was MIIEvQIBADANBgkqhkiG9w0BAQEFAASC of a service_account.", provider)).toBe(
      "It was [hidden] of a service_account.",
    );
  });

  test.each([
    ["a path", "/etc/google/account.json"],
    ["a user's credentials", JSON.stringify({ type: "authorized_user", refresh_token: "a-secret-of-ours" })],
    ["an address that is none", JSON.stringify({ ...account, token_uri: "file:///etc/passwd" })],
  ])("%s in place of its JSON is refused, and not repeated", (_name, text) => {
    const fault = faultOf({ ...vertex, service_account_env: "ACCOUNT" }, { ACCOUNT: text });
    expect(fault).toContain("the variable ACCOUNT does not hold the JSON of a service account's key");
    expect(fault).not.toContain(text);
  });
});
