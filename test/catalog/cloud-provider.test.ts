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
