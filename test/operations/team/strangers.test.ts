// What belongs to one workspace looks unknown from every other, to its sessions, its keys and its shared members; and nothing changes.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Operation, type OperationId, operations } from "../../../generated/operations.ts";
import { postEntry } from "../../../src/ledger/post.ts";
import { parseUsd } from "../../../src/money.ts";
import { eventually } from "../../support/eventually.ts";
import type { TestReply } from "../../support/gateway.ts";
import { startStripe, stripeEnv, type StripeServer } from "../../support/stripe-server.ts";
import { createBatch, linesFor, upload } from "../batches/batch-gateway.ts";
import { hello, language, provider } from "../chat/chat-gateway.ts";
import { type Person, startTeamGateway, type Team, type TeamGateway } from "./team-gateway.ts";

/** A workspace with something of everything that has an id. */
interface Filled extends Team {
  key: string;
  /** The id of an item of its conversation. */
  item: string;
  /** For each operation with a parameter in its path, the id of what is there. */
  ids: Partial<Record<OperationId, string>>;
}

const image = {
  ...{ id: "demo/image", type: "image", pricing: { mode: "per-image", usd_per_image: 0.04 } },
  routes: [{ provider: "pictures", model: "demo/image" }],
};
const catalog = JSON.stringify({
  providers: [provider("north"), { id: "pictures", protocol: "fal", base_url: "simulator:/fal" }],
  models: [language("demo/chat", ["chat"]), image],
});

const secret = "a-long-secret-that-only-the-operator-has";
let stripe: StripeServer;
let gateway: TeamGateway;
let theirs: Filled;
let ours: Filled;
/** The owner of theirs, a developer of ours: may everything there, and see it nowhere else. */
let both: Person;
beforeAll(async () => {
  stripe = await startStripe();
  gateway = await startTeamGateway({
    catalog,
    env: { ...stripeEnv(stripe), SVC_RECEIPT_SECRET: secret, SVC_RESPONSES_SECRET: secret },
  });
  [theirs, ours] = [await filled(), await filled()];
  both = theirs.owner;
  await gateway.join(ours.accountId, both, "developer");
});
afterAll(async () => {
  await gateway.stop();
  await stripe.close();
});

async function filled(): Promise<Filled> {
  const team = await gateway.team();
  const { accountId, workspace, owner } = team;
  await postEntry(gateway.context.db, { accountId, kind: "deposit", amount: parseUsd("9")!, ref: "test", at: new Date() });
  const ask = async (method: string, path: string, body: unknown) => {
    const { status, json } = await gateway.ask(owner, method, path, { in: workspace, body });
    expect([path, status]).toEqual([path, 200]);
    return json;
  };
  await ask("PATCH", "/v1/workspace", { response_retention_days: 30 });
  const made = await ask("POST", "/v1/auth/keys", { name: "team" });
  const key = made.api_key as string;
  const invitation = (await ask("POST", "/v1/workspace/invitations", { email: `new-${accountId}@example.com`, role: "viewer" })).id;
  const domain = (await ask("POST", "/v1/workspace/domains", { domain: `team-${accountId}.example` })).id;
  const topup = (await ask("POST", "/v1/credits/topup", { amount_usd: 20 })).id;
  const post = (path: string, body: unknown) => gateway.request("POST", path, { key, body });
  const request = (await post("/v1/chat/completions", { model: "demo/chat", messages: hello })).headers["x-request-id"]!;
  await eventually(async () => expect((await gateway.request("GET", `/v1/usage/${request}`, { key })).status).toBe(200));
  const job = (await post("/v1/images/generations", { model: "demo/image", prompt: "A lighthouse" })).json.id;
  const genmedia = (await post("/v1/genmedia/run", { model: "demo/image", input: { prompt: "A lighthouse" } })).json.request_id;
  const response = (await post("/v1/responses", { model: "demo/chat", input: "Hello" })).json.id;
  const conversation = (await post("/v1/conversations", { items: hello })).json.id;
  const item = (await gateway.request("GET", `/v1/conversations/${conversation}/items`, { key })).json.data[0].id;
  const line = linesFor("/v1/chat/completions", [{ model: "demo/chat", messages: hello }]);
  const file = (await upload(gateway, { key }, line)).id;
  const batch = (await createBatch(gateway, { key }, "/v1/chat/completions", line)).id;
  const ids = {
    ...{ getFile: file, getFileContent: file, deleteFile: file, getBatch: batch, cancelBatch: batch },
    ...{ getResponse: response, deleteResponse: response, listResponseInputItems: response },
    ...{ getConversation: conversation, updateConversation: conversation, deleteConversation: conversation },
    ...{ listConversationItems: conversation, createConversationItems: conversation },
    ...{ getConversationItem: conversation, deleteConversationItem: conversation },
    ...{ updateApiKey: made.id, deleteApiKey: made.id, rollApiKey: made.id, getApiKeyUsage: made.id },
    ...{ getTopup: topup, getReceipt: request, getReceiptProof: request, getJob: job, getGenmediaJob: genmedia },
    ...{ verifyDomain: domain, updateDomain: domain, removeDomain: domain },
    ...{ revokeInvitation: invitation, resendInvitation: invitation, updateMember: team.viewer.userId, removeMember: team.viewer.userId },
  };
  return { ...team, key, item, ids };
}

/** Of the same form, of nothing. */
const unknownLike = (id: string) => id.replace(/[0-9a-f]{12}$|\d+$/, (end) => (end.length === 12 ? "0123456789ab" : "987654321"));
const bodies: Partial<Record<OperationId, object>> = {
  updateMember: { role: "admin" },
  updateDomain: { role: "admin" },
  updateApiKey: { enabled: false },
  rollApiKey: { grace_seconds: 0 },
  updateConversation: { metadata: null },
  createConversationItems: { items: hello },
};
const send = ({ id, method, path }: Operation, credential: string, target: string, workspace?: string): Promise<TestReply> =>
  gateway.request(method.toUpperCase(), path.replace("{item}", theirs.item).replace(/\{\w+\}/, target), {
    key: credential,
    ...(workspace === undefined ? {} : { headers: { "x-workspace-id": workspace } }),
    ...(method === "get" || method === "delete" ? {} : { body: bodies[id] ?? {} }),
  });
/** All but what differs from request to request. */
const answer = ({ status, text, headers }: TestReply, target: string) =>
  [status, text.replaceAll(target, "ID").replaceAll(headers["x-request-id"]!, "REQUEST")] as const;

/** Webhooks have tests of their own; a month is no id; sessions are the person's, in every workspace. */
const asked = ({ path, auth, operator, roles }: Operation) =>
  path.includes("{") &&
  !/webhooks|\{month\}/.test(path) &&
  auth !== "none" &&
  operator === undefined &&
  (auth !== "session" || roles !== undefined);
const withIds = Object.values(operations).filter(asked);

test("every operation with an id in its path is asked", () => {
  expect(withIds.map(({ id }) => id).sort()).toEqual(Object.keys(theirs.ids).sort());
});

describe("what is another workspace's looks like what isn't there", () => {
  test.each(withIds.map((operation) => [operation.id, operation] as const))("%s", async (id, operation) => {
    const target = theirs.ids[id]!;
    const strangers: [who: string, credential: string, workspace?: string][] = [
      ...(operation.auth === "session" ? [] : [["a key", ours.key] as [string, string]]),
      ...(operation.auth === "key"
        ? []
        : ([
            ["an owner", ours.owner.session, ours.workspace],
            ["an owner in the own workspace", ours.owner.session],
            ["its own owner, elsewhere", both.session],
            ["its own owner, as a member of another", both.session, ours.workspace],
          ] as [string, string, string?][])),
    ];
    for (const [who, credential, workspace] of strangers) {
      const unknown = unknownLike(target);
      expect(unknown).not.toBe(target);
      const [foreign, missing] = [
        await send(operation, credential, target, workspace),
        await send(operation, credential, unknown, workspace),
      ];
      expect([who, foreign.status]).toEqual([who, expect.toBeOneOf([400, 403, 404])]);
      expect([who, ...answer(foreign, target)]).toEqual([who, ...answer(missing, unknown)]);
    }
  });

  test("and all of it is as it was", async () => {
    const read = async (path: string) => (await gateway.ask(theirs.owner, "GET", path, { in: theirs.workspace })).json.data;
    expect(await read("/v1/auth/keys")).toMatchObject([{ id: theirs.ids.updateApiKey, enabled: true, previous_secret_until: null }]);
    expect(await read("/v1/workspace/invitations")).toMatchObject([{ id: theirs.ids.revokeInvitation, status: "pending" }]);
    expect(await read("/v1/workspace/domains")).toMatchObject([{ id: theirs.ids.verifyDomain, role: "developer" }]);
    expect((await read("/v1/workspace/members")).map(({ role }: { role: string }) => role)).toEqual([
      "owner",
      "admin",
      "developer",
      "billing",
      "viewer",
    ]);
    expect((await gateway.request("GET", "/v1/auth/limits", { key: theirs.key })).status).toBe(200);
  });
});

describe("lists show one workspace", () => {
  const shown = async (path: string, credential: string, workspace?: string) =>
    (
      await gateway.request("GET", path, {
        key: credential,
        ...(workspace === undefined ? {} : { headers: { "x-workspace-id": workspace } }),
      })
    ).text;
  const lists = [
    "/v1/auth/keys",
    "/v1/auth/usage/logs",
    "/v1/credits/ledger",
    "/v1/workspace/members",
    "/v1/workspace/invitations",
    "/v1/workspace/domains",
  ];
  /** Every text that only the other workspace's lists may hold. */
  const marks = (team: Filled) => [...Object.values(team.ids), team.viewer.email, String(team.key.slice(0, 8))];

  test.each(lists)("%s", async (path) => {
    const text = await shown(path, ours.owner.session, ours.workspace);
    expect(text).toContain('"object":"list"');
    for (const mark of marks(theirs)) expect(text).not.toContain(mark);
    const alone = await shown(path, both.session);
    for (const mark of [...marks(theirs), ...marks(ours)]) expect(alone).not.toContain(mark);
  });

  test("/v1/jobs", async () => {
    const text = await shown("/v1/jobs", ours.key);
    expect(text).toContain(ours.ids.getJob!);
    for (const mark of marks(theirs)) expect(text).not.toContain(mark);
  });
});
