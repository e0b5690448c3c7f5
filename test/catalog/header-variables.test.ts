// Secrets in a provider's `headers`: `${NAME}` is a variable of the environment, read at start and never said again.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCatalog } from "../../src/catalog/load.ts";
import { runSvc } from "../cli/run-svc.ts";
import { language } from "../operations/chat/chat-gateway.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";

const catalogOf = (headers: Record<string, string>, base_url = "http://127.0.0.1:9/v1") => `providers:
  - id: azure
    protocol: openai
    base_url: ${base_url}
    headers:
${Object.entries(headers)
  .map(([name, value]) => `      ${name}: ${JSON.stringify(value)}`)
  .join("\n")}
models:
  - ${JSON.stringify(language("demo/chat", [{ provider: "azure", model: "chat" }]))}
`;
const load = (headers: Record<string, string>, environment: Record<string, string>) => {
  const { catalog, warnings } = loadCatalog({ text: catalogOf(headers), environment });
  return { headers: catalog.providers.get("azure")!.headers, warnings };
};
const faultOf = (headers: Record<string, string>, environment: Record<string, string> = {}) => {
  try {
    load(headers, environment);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

describe("a value", () => {
  test("takes variables anywhere, several of them, and $$ for a dollar", () => {
    const environment = { AZURE_KEY: "azure-secret-1", ORG_2: " org " };
    const { headers, warnings } = load(
      { "api-key": "${AZURE_KEY}", "x-org": "Bearer ${ORG_2}/${AZURE_KEY}", "x-price": "$$5" },
      environment,
    );
    expect(headers).toEqual({ "api-key": "azure-secret-1", "x-org": "Bearer org/azure-secret-1", "x-price": "$5" });
    expect(warnings).toEqual([]);
  });

  test.each(["$AZURE_KEY", "${AZURE_KEY", "${}", "${AZURE-KEY}", "5 $", "a$b"])(
    "%s is refused with its line and what to write",
    (value) => {
      const fault = faultOf({ "x-fine": "yes", "api-key": value }, { AZURE_KEY: "azure-secret-1" });
      expect(fault).toContain(":7: providers[0].headers.api-key: ");
      expect(fault).toContain("${NAME}");
      expect(fault).toContain("$$");
    },
  );

  test("whose variable is not set is left out, and the operator is warned with the variable's name", () => {
    for (const environment of [{}, { AZURE_KEY: " " }]) {
      const { headers, warnings } = load({ "api-key": "${AZURE_KEY}", "x-fine": "yes" }, environment as Record<string, string>);
      expect(headers).toEqual({ "x-fine": "yes" });
      expect(warnings).toEqual([expect.stringMatching(/provider "azure".*"api-key".*AZURE_KEY is not set/)]);
    }
  });

  test("that no header can carry stops the start, and is not repeated", () => {
    const fault = faultOf({ "api-key": "${AZURE_KEY}" }, { AZURE_KEY: "two\nlines" });
    expect(fault).toContain(":6: providers[0].headers.api-key: the variable AZURE_KEY holds characters that no header can carry");
    expect(fault).not.toContain("two");
  });
});

test.each(["https://${AZURE_HOST}/v1", "https://azure.example/$TEAM/v1"])(
  "base_url: %s: a variable that is not filled in is refused",
  (url) => {
    expect(() => loadCatalog({ text: catalogOf({ "x-fine": "yes" }, url), environment: {} })).toThrow(
      ':4: providers[0].base_url: must not have a "$"',
    );
  },
);

test("svc catalog check says so of a dollar that begins no variable", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-headers-"));
  const path = join(folder, "catalog.yaml");
  writeFileSync(path, catalogOf({ "api-key": "$AZURE_KEY" }));
  const ran = await runSvc({}, ["catalog", "check", path, "--json"]);
  expect(ran).toMatchObject({ status: 1 });
  expect(ran.json().problems).toEqual([{ line: 6, message: expect.stringContaining("${NAME}") as string }]);
  writeFileSync(path, catalogOf({ "api-key": "${AZURE_KEY}" }));
  expect((await runSvc({}, ["catalog", "check", path, "--json"])).json().problems).toEqual([]);
  rmSync(folder, { recursive: true });
});

describe("an upstream", () => {
  const secret = "azure-header-secret-99";
  const logLines: string[] = [];
  const got: (string | undefined)[] = [];
  const host = createServer(({ headers }, response) => {
    got.push(headers["api-key"] as string | undefined);
    const message = `The key ${secret} (you sent ${String(headers["x-auth"])}) is over its quota`;
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error: { message, param: secret } }));
  });
  let gateway: Gateway;
  beforeAll(async () => {
    await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
    const text = catalogOf(
      { "api-key": "${AZURE_KEY}", "x-auth": "Token ${AZURE_KEY}" },
      `http://127.0.0.1:${(host.address() as AddressInfo).port}/v1`,
    );
    gateway = await startGateway({ catalog: text, env: { AZURE_KEY: secret }, logLines });
  });
  afterAll(async () => {
    await gateway.stop();
    host.close();
  });

  test("gets the variable's value; what it repeats of it reaches neither callers nor logs", async () => {
    const { key } = await gateway.createAccount({ deposit: "20" });
    const body = { model: "demo/chat", messages: [{ role: "user", content: "Hi" }] };
    const reply = await gateway.request("POST", "/v1/chat/completions", { key, body });
    expect(got).toEqual([secret]);
    expect(reply.status).toBe(400);
    expect(reply.text).toContain("is over its quota");
    const { rows } = await gateway.context.db.pool.query("select * from usage_log");
    const kept = JSON.stringify(rows, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
    expect(kept).toContain("is over its quota");
    expect(reply.text + kept + logLines.join("")).not.toContain(secret);
  });
});
