// `svc provider test` over every protocol and every cause that an operator has to tell from the others: the name that is not found, the
// certificate, the port, the key, the quota, the region, the model. What the hosts answer is what the vendors answer, from the corpora.
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { test as testProvider } from "../../src/cli/provider-test.ts";
import { readConfig } from "../../src/config.ts";
import type { Protocol } from "../../src/providers/types.ts";
import { language } from "../operations/chat/chat-gateway.ts";
import { freePort } from "../support/free-port.ts";

type Said = [status: number, body: object, headers?: Record<string, string>];
const told = (message: string, more: object = {}) => ({ error: { message, ...more } });
const google = (code: number, status: string, message: string, details: object[] = []) => ({ error: { code, status, message, details } });
const amazon = (status: number, type: string, message: string): Said => [status, { message }, { "x-amzn-errortype": type }];
const azure = (status: number, code: string, message: string): Said => [status, { error: { code, message } }];

const googleQuota: Said = [429, google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details.")]; // prettier-ignore
const lacking = "Publisher Model `projects/p/locations/us-east5/publishers/google/models/m` was not found or your project does not have access to it."; // prettier-ignore
const vertexSaid: Record<string, Said> = {
  key: [401, google(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.", [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "ACCESS_TOKEN_EXPIRED" }])], // prettier-ignore
  quota: googleQuota,
  region: [404, google(404, "NOT_FOUND", lacking)],
  model: [404, google(404, "NOT_FOUND", lacking)],
};
const typed = (status: number, type: string, message: string): Said => [status, { type: "error", error: { type, message } }];

/** What the vendor answers; no region: it has none to choose. */
const said: Record<string, { protocol: Protocol; said: Record<string, Said> }> = {
  openai: {
    protocol: "openai",
    said: {
      key: [
        401,
        told("Incorrect API key provided. You can find yours in the account.", { type: "invalid_request_error", code: "invalid_api_key" }),
      ],
      revoked: [401, told("Your API key has been invalidated.", { type: "invalid_request_error", code: "account_deactivated" })],
      quota: [429, told("You exceeded your current quota, please check your plan and billing details.", { code: "insufficient_quota" })],
      region: [403, told("Country, region, or territory not supported", { code: "unsupported_country_region_territory" })],
      model: [404, told("The model `m` does not exist or you do not have access to it.", { code: "model_not_found" })],
    },
  },
  "azure-openai": {
    protocol: "azure-openai",
    said: {
      key: azure(401, "401", "Access denied due to invalid subscription key or wrong API endpoint."),
      quota: azure(429, "insufficient_quota", "You exceeded your current quota, please check your plan and billing details."),
      region: azure(404, "404", "Resource not found"),
      model: azure(404, "DeploymentNotFound", "The API deployment for this resource does not exist."),
    },
  },
  anthropic: {
    protocol: "anthropic",
    said: {
      key: typed(401, "authentication_error", "invalid x-api-key"),
      quota: typed(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
      region: typed(403, "forbidden", "Request not allowed"),
      model: typed(404, "not_found_error", "model: claude-nowhere"),
    },
  },
  gemini: {
    protocol: "gemini",
    said: {
      key: [400, google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }])], // prettier-ignore
      expired: [400, google(400, "INVALID_ARGUMENT", "API key expired. Please renew the API key.", [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }])], // prettier-ignore
      quota: googleQuota,
      region: [400, google(400, "FAILED_PRECONDITION", "User location is not supported for the API use.")],
      model: [404, google(404, "NOT_FOUND", "models/m is not found for API version v1beta, or is not supported for generateContent.")],
    },
  },
  vertex: { protocol: "vertex", said: vertexSaid },
  "vertex, Claude": { protocol: "vertex", said: vertexSaid },
  bedrock: {
    protocol: "bedrock",
    said: {
      key: amazon(403, "UnrecognizedClientException", "The security token included in the request is invalid."),
      expired: amazon(403, "ExpiredTokenException", "The security token included in the request is expired"),
      quota: amazon(400, "ServiceQuotaExceededException", "Your request exceeds the service quota for your account."),
      region: amazon(400, "ValidationException", "The provided model identifier is invalid."),
      model: amazon(403, "AccessDeniedException", "You don't have access to the model with the specified model ID."),
    },
  },
  cohere: {
    protocol: "cohere",
    said: {
      key: [401, { message: "invalid api token" }],
      quota: [402, { message: "Please add or update your payment method at https://dashboard.cohere.com/billing?tab=payment" }],
      model: [404, { message: "model 'm' not found, make sure the correct model ID was used and that you have access to the model." }],
    },
  },
  rerank: {
    protocol: "rerank",
    said: {
      key: [401, { detail: "Unauthorized" }],
      quota: [402, { detail: "Insufficient balance" }],
      model: [404, { detail: "Model m not found" }],
    },
  },
  fal: {
    protocol: "fal",
    said: {
      key: [401, { detail: "Cannot access application 'm'. Authentication is required to access this application." }],
      quota: [403, { detail: "User is locked. Reason: Exhausted balance. Top up your balance at fal.ai/dashboard/billing." }],
      model: [404, { detail: "Application 'm' not found" }],
    },
  },
  elevenlabs: {
    protocol: "elevenlabs",
    said: {
      key: [401, { detail: { status: "invalid_api_key", message: "Invalid API key" } }],
      quota: [401, { detail: { status: "quota_exceeded", message: "This request exceeds your quota of 10000." } }],
      model: [400, { detail: { status: "model_not_found", message: "A model with model ID m does not exist" } }],
    },
  },
  minimax: {
    protocol: "minimax",
    said: {
      key: [200, { base_resp: { status_code: 1004, status_msg: "login fail: Please carry the API secret key" } }],
      quota: [200, { base_resp: { status_code: 1008, status_msg: "insufficient balance" } }],
      model: [200, { base_resp: { status_code: 2013, status_msg: "invalid params, model not found" } }],
    },
  },
};

const servers: Server[] = [];
async function listen(server: Server): Promise<number> {
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

/** Answers as the path's first part says. */
const answering = createServer((request, response) => {
  const [, column = "", cause = ""] = decodeURIComponent(request.url!).split("/");
  if (column === "metadata") {
    const token = request.url!.includes("token") ? { access_token: "t", expires_in: 3600, token_type: "Bearer" } : "p";
    response.writeHead(200, { "metadata-flavor": "Google", "content-type": "application/json" }).end(JSON.stringify(token));
    return;
  }
  const [status, body, headers = {}] = said[column]!.said[cause]!;
  request
    .resume()
    .on("end", () => response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body)));
});
const key = readFileSync(new URL("../providers/tls/self-signed-key.pem", import.meta.url));
const secured = createTlsServer({ key, cert: readFileSync(new URL("../providers/tls/self-signed.pem", import.meta.url)) });

const columns = Object.keys(said);
const sockets = { dns: "dns", tls: "tls_self_signed", refused: "connection_refused" } as const;
const idOf = (column: string, cause: string) => `${column}-${cause}`.replace(/\W+/g, "-").toLowerCase();
const secret = "key-of-an-operator-0123456789";
const folder = mkdtempSync(join(tmpdir(), "svc-causes-"));
const catalogOf = (column: string) => join(folder, `${idOf(column, "catalog")}.json`);
let environment: Record<string, string>;

function fieldsOf(column: string, address: string): object {
  const { protocol } = said[column]!;
  const own =
    protocol === "vertex"
      ? { project: "some-project", location: "us-east5" }
      : { api_key_env: "SOME_KEY", ...(protocol === "bedrock" && { region: "eu-north-1" }) };
  return { protocol, base_url: address, timeout_ms: 10_000, ...own };
}

function modelOf(column: string, provider: string): object {
  const { protocol } = said[column]!;
  const id = `demo/${provider}`;
  const routes = [
    { provider, model: column === "vertex, Claude" ? "claude-sonnet-4-5" : protocol === "vertex" ? "gemini-2.5-flash" : "m" },
  ];
  if (protocol === "rerank") return { id, type: "reranking", pricing: { mode: "per-token", input: 0.1 }, routes };
  if (protocol === "fal") return { id, type: "image", pricing: { mode: "per-image", usd_per_image: 0.04 }, routes };
  if (protocol === "elevenlabs" || protocol === "minimax") {
    const voice = { default_voice: "calm", voice_family: protocol === "minimax" ? "provider_b" : "provider_a" };
    return { id, type: "speech", pricing: { mode: "per-1k-chars", usd_per_1k_chars: 0.4 }, routes, ...voice };
  }
  return language(id, [], { routes });
}

beforeAll(async () => {
  const port = await listen(answering);
  const addresses = {
    dns: "https://no-such-host.invalid",
    tls: `https://127.0.0.1:${await listen(secured)}`,
    refused: `http://127.0.0.1:${await freePort()}`,
  };
  for (const column of columns) {
    const cells = [
      ...Object.entries(addresses),
      ...Object.keys(said[column]!.said).map(
        (cause) => [cause, `http://127.0.0.1:${port}/${encodeURIComponent(column)}/${cause}`] as const,
      ),
    ];
    const providers = cells.map(([cause, address]) => ({ id: idOf(column, cause), ...fieldsOf(column, address) }));
    const models = cells.map(([cause]) => modelOf(column, idOf(column, cause)));
    writeFileSync(catalogOf(column), JSON.stringify({ providers, models }));
  }
  environment = { SOME_KEY: secret, GCE_METADATA_HOST: `127.0.0.1:${port}/metadata` };
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

async function testedAs(column: string, cause: string) {
  const input = {
    config: readConfig({ ...environment, SVC_CATALOG: catalogOf(column) }),
    words: [idOf(column, cause)],
    options: {},
    json: true,
  };
  const { json, text, bad } = await testProvider(input);
  expect(bad).toBe(true);
  expect(text).not.toContain(secret);
  return json as { cause: string; detail: string; status: number | null };
}

describe.each(columns)("%s", (column) => {
  test.each(Object.entries(sockets))("%s: %s", async (cause, word) => {
    expect(await testedAs(column, cause)).toMatchObject({ cause: word, status: null, detail: expect.stringMatching(/\w+ \w+/) as string });
  });

  test.each(Object.entries(said[column]!.said))("%s: the status and the vendor's sentence", async (cause, [status, body]) => {
    const sentence = JSON.stringify(body).match(/"(?:message|detail|status_msg)":"([^"]+)/)![1]!;
    const { detail, ...tested } = await testedAs(column, cause);
    if (column === "bedrock" && (cause === "key" || cause === "expired")) {
      expect({ detail, ...tested }).toMatchObject({
        cause: "credentials",
        detail: expect.stringMatching(/refuses the credentials/) as string,
      });
      return;
    }
    expect(detail).toContain(sentence.slice(-25)); // what names the project is hidden
    expect(tested.cause).toBe(status === 200 ? "error_in_answer" : `http_${status}`);
  });
});
