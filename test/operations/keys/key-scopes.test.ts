// What each scope takes away from a key, over every operation of the contract: each is classed here, and each that a scope excludes is refused
// over HTTP with the scope's name. A new operation that takes a key fails this file until it is classed.
import { describe, expect, test } from "vitest";
import { dialects, type DialectRow } from "../../../generated/errors.ts";
import { type Operation, type OperationId, operations } from "../../../generated/operations.ts";
import type { KeyScope } from "../../../src/accounts/key-policy.ts";
import { shownWord } from "../../support/error-word.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { fileForm } from "../batches/batch-gateway.ts";
import { hello } from "../chat/chat-gateway.ts";
import { bodyOf, formOf, quoteWorld } from "../quotes/quote-world.ts";

const world = quoteWorld({ env: { SVC_RESPONSES_SECRET: "a secret of the tests, which is long enough" } });

/** Every operation that takes a key, by what it does. */
const classes = {
  media: ["createImage", "createImageEdit", "createImageVariation", "createVideo", "runGenmedia"],
  audio: [
    ...["createMusic", "createSoundEffect", "createSpeech", "createTranscription", "createTranslation"],
    ...["understandAudio", "cloneVoice", "designVoice"],
  ],
  text: [
    ...["createChatCompletion", "createCompletion", "createMessage", "createResponse", "compactResponse"],
    ...["createEmbeddings", "createRerank", "createDecision", "createSystemOneDecision"],
  ],
  /** Free, but something is another afterwards. */
  changes: [
    ...["createBatch", "cancelBatch", "createFile", "deleteFile", "deleteResponse", "purgeResponseCache"],
    ...["createConversation", "updateConversation", "deleteConversation", "createConversationItems", "deleteConversationItem"],
  ],
  /** Sent with a body, and yet they only answer. */
  questions: ["createQuote", "countMessageTokens", "countResponseTokens"],
  reads: [
    ...["listVoices", "listBatches", "getBatch", "getConversation", "listConversationItems", "getConversationItem"],
    ...["listFiles", "getFile", "getFileContent", "getGenmediaJob", "listJobs", "getJob", "getResponse", "listResponseInputItems"],
  ],
  account: [
    ...["listApiKeys", "getApiKeyUsage", "getLimits", "listUsageLogs", "getUsageSummary", "getReceipt", "getReceiptProof"],
    ...["getCreditBalance", "listCreditGrants", "listLedgerEntries", "getLegacyPricing", "getTopup"],
  ],
} as const satisfies Record<string, readonly string[]>;
type Class = keyof typeof classes;

const excluded: Record<KeyScope, readonly Class[]> = {
  read_only: ["media", "audio", "text", "changes"],
  no_media: ["media"],
  no_audio: ["audio"],
  no_account: ["account"],
};

const idsOf = (of: readonly Class[]) => of.flatMap((one) => classes[one] as readonly OperationId[]);
const keyed: Operation[] = Object.values(operations).filter(({ auth }) => auth === "key" || auth === "key_or_session");

describe("the classes", () => {
  test("every operation that takes a key is in exactly one", () => {
    const classed = idsOf(Object.keys(classes) as Class[]);
    expect(classed.toSorted()).toEqual(keyed.map(({ id }) => id).toSorted());
  });

  test("are as the contract says: what costs is media, audio or text, by its path; what is not a GET changes or asks something", () => {
    const classOf = ({ path, method, auth, errors }: Operation): string => {
      if (auth === "key_or_session") return "account";
      if (method === "get") return "reads";
      if (/^\/v1\/(images|videos|genmedia)\//.test(path)) return "media";
      if (path.startsWith("/v1/audio/")) return "audio";
      return errors.includes("insufficient_credits") ? "text" : "changes or questions";
    };
    for (const [name, ids] of Object.entries(classes))
      for (const id of ids)
        expect([id, classOf(operations[id])]).toEqual([id, ["changes", "questions"].includes(name) ? "changes or questions" : name]);
  });
});

/** An account with a key of these scopes beside its first, which may do everything; its responses are stored. */
async function scoped(scopes: readonly string[]): Promise<{ first: TestAccount; bound: { key: string; masked: string } }> {
  const first = await world.account();
  await world.gateway.context.db.pool.query("update account set response_retention_days = 30 where id = $1", [first.accountId]);
  const session = (await world.gateway.createSession(first)).token;
  const { status, json } = await world.gateway.request("POST", "/v1/auth/keys", { key: session, body: { name: "bound", scopes } });
  expect([status, json.error]).toEqual([200, undefined]);
  return { first, bound: { key: json.api_key, masked: json.masked } };
}

const ask = ({ key }: { key: string }, id: OperationId, body: object = {}, names: readonly string[] = []) => {
  const { method, path } = operations[id];
  const left = [...names];
  const whole = path.replaceAll(/\{\w+\}/g, () => left.shift() ?? "some-id");
  return world.gateway.request(method.toUpperCase(), whole, { key, ...(method === "post" && { body }) });
};
const wordOf = (id: OperationId, json: any) => shownWord(operations[id].dialect, json);
const refusal = (id: OperationId) =>
  (dialects[operations[id].dialect] as DialectRow).codes.operation_not_allowed ?? "operation_not_allowed";

/** As it is answered with 200 to a key without scopes, where it costs anything. */
function sendWhole(account: { key: string }, id: OperationId) {
  if (!operations[id].errors.includes("insufficient_credits")) return ask(account, id);
  return world.call(account, id, operations[id].bodies.includes("application/json") ? bodyOf(world, id) : formOf(id));
}

describe.each(Object.entries(excluded) as [KeyScope, readonly Class[]][])("%s", (scope, of) => {
  const refused = idsOf(of);

  test(`refuses every operation of ${of.join(", ")} and names the scope; nothing is charged, and no provider is asked`, async () => {
    const { first, bound } = await scoped([scope]);
    const before = world.gateway.simulator.counters().received;
    for (const id of refused) {
      const { status, json, text } = await sendWhole(bound, id);
      expect([id, status]).toEqual([id, 403]);
      expect([id, wordOf(id, json)]).toEqual([id, refusal(id)]);
      expect(text).toContain(`The API key ${bound.masked} may not call ${id}: its scope is ${scope}.`);
    }
    expect(world.gateway.simulator.counters().received).toBe(before);
    expect(await world.gateway.balance(first)).toEqual({ balance: 20, reserved: 0, spent: 0 });
  });

  test("lets every other operation through", async () => {
    const { bound } = await scoped([scope]);
    const others = keyed.filter(({ id }) => !refused.includes(id));
    // Without its fields a request that may be made gets no further.
    const words = await Promise.all(others.map(async ({ id }) => [id, (await ask(bound, id)).text.includes("its scope is")]));
    expect(words).toEqual(others.map(({ id }) => [id, false]));
  });
});

test("of several scopes each holds, and the one that excludes is named", async () => {
  const { bound } = await scoped(["no_media", "no_account", "no_audio"]);
  for (const [id, scope] of [
    ["createVideo", "no_media"],
    ["getLimits", "no_account"],
    ["cloneVoice", "no_audio"],
  ] as const)
    // prettier-ignore
    expect((await ask(bound, id)).text).toContain(`its scope is ${scope}.`);
  expect((await ask(bound, "createChatCompletion", { model: "demo/chat", messages: hello, max_tokens: 5 })).status).toBe(200);
});

describe("read_only", () => {
  test("what another key stored is read, and is there as it was after every attempt to change or delete it", async () => {
    const { first, bound } = await scoped(["read_only"]);
    const response = (await ask(first, "createResponse", { model: "demo/chat", input: "Hello", max_output_tokens: 5 })).json.id;
    const items = [{ role: "user", content: "Hello" }];
    const conversation = (await ask(first, "createConversation", { items, metadata: { of: "first" } })).json.id;
    const item = (await ask(first, "listConversationItems", {}, [conversation])).json.data[0].id;
    const { body, type } = await fileForm("{}\n");
    const file = (await world.gateway.request("POST", "/v1/files", { key: first.key, body, headers: { "content-type": type } })).json.id;
    const reads: [OperationId, string[]][] = [
      ["getResponse", [response]],
      ["getConversation", [conversation]],
      ["listConversationItems", [conversation]],
      ["getConversationItem", [conversation, item]],
      ["getFile", [file]],
      ["listFiles", []],
    ];
    const seen = () => Promise.all(reads.map(async ([id, names]) => (await ask(bound, id, {}, names)).json));
    const before = await seen();
    for (const json of before) expect(json.error ?? undefined).toBeUndefined();
    const changes: [OperationId, string[], object?][] = [
      ["deleteResponse", [response]],
      ["updateConversation", [conversation], { metadata: { of: "bound" } }],
      ["createConversationItems", [conversation], { items }],
      ["deleteConversationItem", [conversation, item]],
      ["deleteConversation", [conversation]],
      ["deleteFile", [file]],
      ["purgeResponseCache", []],
    ];
    for (const [id, names, sent] of changes) {
      const { status, json } = await ask(bound, id, sent, names);
      expect([id, status, json.error?.code]).toEqual([id, 403, "operation_not_allowed"]);
    }
    expect(await seen()).toEqual(before);
    expect((await ask(first, "deleteConversation", {}, [conversation])).status).toBe(200);
  });

  test("counts tokens, which is free; what it may not call it may not have quoted either", async () => {
    const { first, bound } = await scoped(["read_only"]);
    for (const [id, body] of [
      ["countMessageTokens", { model: "demo/chat", messages: hello }],
      ["countResponseTokens", { model: "demo/chat", input: "Hello" }],
    ] as const) {
      const { status, json } = await ask(bound, id, body);
      expect([id, status, json.input_tokens]).toEqual([id, 200, expect.any(Number)]);
    }
    const { status, json } = await world.quote(bound, "createChatCompletion", { model: "demo/chat", messages: hello });
    expect([status, json.error.code]).toEqual([403, "operation_not_allowed"]);
    expect(json.error.message).toContain("may not call createChatCompletion: its scope is read_only");
    expect(await world.gateway.balance(first)).toEqual({ balance: 20, reserved: 0, spent: 0 });
  });
});
