// Answers of Azure's OpenAI as they are published, what callers and the bill get of them, and the addresses that are asked.
import { describe, expect, test } from "vitest";
import { overAzure } from "../../../src/providers/azure/azure.ts";
import { entraAuthorization } from "../../../src/providers/credentials/entra.ts";
import { openaiChat } from "../../../src/providers/openai/chat.ts";
import type { Provider } from "../../../src/providers/types.ts";
import type { ChatCall } from "../../../src/providers/verbs/chat.ts";
import { runCorpus } from "../corpus.ts";
import { describedFaults } from "../descriptions/described.ts";
import { events, expectFault, json, publicModel } from "../openai/chat-fixture.ts";
import { type Answer, routeTo, startHost, useUpstream } from "../upstream-fixture.ts";
import { answers } from "./corpus.ts";
import { faults } from "./corpus-faults.ts";
import type { Row } from "./corpus-row.ts";

async function ask(answer: Answer, { stream = false, path = "", ...more }: Partial<Provider> & { stream?: boolean; path?: string } = {}) {
  const host = await startHost(answer);
  const route = routeTo(`${host.url}${path}`, { protocol: "azure-openai", apiKey: "azure-key-0123456789", ...more });
  const signal = new AbortController().signal;
  const body = '{"model":"upstream-model","messages":[{"role":"user","content":"Hello"}]}';
  const call: ChatCall = { route, signal, requestId: "req_test", body, stream, publicModel, outputMax: 100 };
  return { host, answered: overAzure(openaiChat(useUpstream()))(call) };
}

function answerOf({ answer, records, status = 200, headers = {} }: Row): Answer {
  if (records !== undefined) return events(`${records.map((record) => `data: ${JSON.stringify(record)}\n\n`).join("")}data: [DONE]\n\n`);
  return (_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(answer));
  };
}

runCorpus<Row>({
  protocol: "azure-openai",
  provider: { apiKey: "azure-key-0123456789" },
  path: "/azure",
  rows: [...answers, ...faults],
  isStream: ({ records }) => records !== undefined,
  answerOf,
  usageOf: ({ usage }) => (usage == null ? null : { input: usage[0], output: usage[1], cacheRead: usage[2] ?? 0 }),
});

test("what the filter found, in each of them, has the form of Azure's own description", () => {
  const faults: string[] = [];
  let found = 0;
  const search = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { content_filter_results: results, prompt_index: index } = value as Record<string, unknown>;
    if (results !== undefined) {
      found += 1;
      faults.push(
        ...describedFaults("azure", index === undefined ? "FilterOfChoice" : "FilterOfPrompt", index === undefined ? results : value),
      );
    }
    Object.values(value).forEach(search);
  };
  search(answers);
  expect([found > 20, [...new Set(faults)]]).toEqual([true, []]);
});

describe("addresses", () => {
  const fine = json(200, JSON.stringify(answers[0]!.answer));

  test.each([
    ["a resource", {}, "/openai/v1/chat/completions"],
    ["a resource with its path", { path: "/openai/v1" }, "/openai/v1/chat/completions"],
    ["a resource behind a gateway's path", { path: "/eu/ai" }, "/eu/ai/openai/v1/chat/completions"],
    ["a version", { apiVersion: "2024-10-21" }, "/openai/deployments/upstream-model/chat/completions?api-version=2024-10-21"],
  ])("%s", async (_name, provider, url) => {
    const { host, answered } = await ask(fine, provider);
    await answered;
    expect(host.requests).toMatchObject([{ url, headers: { "api-key": "azure-key-0123456789" } }]);
    expect(host.requests[0]!.headers).not.toHaveProperty("authorization");
  });
});

describe("tokens of Entra", () => {
  const secret = "entra-secret-0123456789";
  const proof = { kind: "secret", secret, variable: "SECRET" } as const;

  async function world(seconds: number) {
    let now = Date.parse("2026-01-01T00:00:00Z");
    let given = 0;
    const entra = await startHost((_request, response) => {
      given += 1;
      json(200, JSON.stringify({ token_type: "Bearer", expires_in: seconds, access_token: `token-${given}` }))(_request, response, "");
    });
    const clock = () => new Date(now);
    const client = { kind: "application", authority: entra.url, tenant: "contoso", clientId: "app", proof, scope: "ai/.default" } as const;
    const { authorize, onUnauthorized } = entraAuthorization(client, clock);
    const token = async () => (await authorize({ method: "POST", origin: "http://x", path: "/", headers: {}, body: "" }))["authorization"]!;
    return { entra, token, onUnauthorized, pass: (ms: number) => (now += ms) };
  }

  test("one is asked for once by all that wait, and its request is the client-credentials grant", async () => {
    const { entra, token } = await world(3_600);
    expect(new Set(await Promise.all([token(), token(), token()]))).toEqual(new Set(["Bearer token-1"]));
    expect(entra.requests).toMatchObject([{ method: "POST", url: "/contoso/oauth2/v2.0/token" }]);
    expect(Object.fromEntries(new URLSearchParams(entra.requests[0]!.body))).toEqual({
      ...{ grant_type: "client_credentials", client_id: "app" },
      ...{ client_secret: secret, scope: "ai/.default" },
    });
  });

  test("one that ends within five minutes is renewed while it still serves; one that has ended is awaited anew", async () => {
    const { entra, token, pass } = await world(3_600);
    await token();
    pass(3_600_000 - 299_000);
    expect(await token()).toBe("Bearer token-1");
    await expect.poll(() => entra.requests.length).toBe(2);
    await expect.poll(token).toBe("Bearer token-2");
    pass(3_600_000);
    expect(await token()).toBe("Bearer token-3");
  });

  test("one that the resource refuses is forgotten, unless it is new", async () => {
    const { token, onUnauthorized, pass } = await world(3_600);
    await token();
    onUnauthorized();
    expect(await token()).toBe("Bearer token-1");
    pass(31_000);
    onUnauthorized();
    expect(await token()).toBe("Bearer token-2");
  });

  test.each([
    ["a page", "<html>", "Entra gave no token: it answered 200"],
    ["no token", '{"token_type":"Bearer"}', "Entra gave no token: it answered 200"],
    ["a token that no header can carry", '{"access_token":"a\\nb"}', "Entra gave no token: it answered 200"],
    [
      "a refusal that quotes the secret",
      JSON.stringify({ error: "invalid_client", error_description: `AADSTS7000215: Invalid secret ${secret}.` }),
      "Entra gave no token: invalid_client, AADSTS7000215 (the secret is wrong, or its id was taken for it)",
    ],
  ])("%s: the fault names neither secret nor tenant", async (_name, body, reason) => {
    const entra = await startHost(json(200, body));
    const client = { kind: "application", authority: entra.url, tenant: "contoso", clientId: "app", proof, scope: "ai/.default" } as const;
    const asked = entraAuthorization(client).authorize({ method: "POST", origin: "http://x", path: "/", headers: {}, body: "" });
    const error = await expectFault(asked, "our_fault");
    expect(error.reason).toBe(reason);
  });
});
