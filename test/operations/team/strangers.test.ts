// What belongs to one workspace looks unknown from every other, to its sessions, its keys and its shared members; and nothing changes. Lists: lists.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Operation, type OperationId, operations } from "../../../generated/operations.ts";
import type { TestReply } from "../../support/gateway.ts";
import { hello } from "../chat/chat-gateway.ts";
import { type Filled, type FilledGateway, startFilledGateway } from "./filled-gateway.ts";
import type { Person } from "./team-gateway.ts";

let gateway: FilledGateway;
let theirs: Filled;
let ours: Filled;
/** The owner of theirs, a developer of ours: may everything there, and see it nowhere else. */
let both: Person;
beforeAll(async () => {
  gateway = await startFilledGateway();
  [theirs, ours] = [await gateway.filled(), await gateway.filled()];
  both = theirs.owner;
  await gateway.join(ours.accountId, both, "developer");
});
afterAll(() => gateway.stop());

/** Of the same form, of nothing. */
const unknownLike = (id: string) => id.replace(/[0-9a-f]{12}$|\d+$/, (end) => (end.length === 12 ? "0123456789ab" : "987654321"));
const bodies: Partial<Record<OperationId, object>> = {
  updateMember: { role: "admin" },
  updateDomain: { role: "admin" },
  updateApiKey: { enabled: false },
  rollApiKey: { grace_seconds: 0 },
  updateConversation: { metadata: null },
  updateWebhook: { enabled: false },
  createConversationItems: { items: hello },
};
const send = ({ id, method, path }: Operation, credential: string, target: string, workspace?: string): Promise<TestReply> =>
  gateway.request(
    method.toUpperCase(),
    path
      .replace("{item}", theirs.item)
      .replace("{delivery}", "whd_1")
      .replace(/\{\w+\}/, target),
    {
      key: credential,
      ...(workspace === undefined ? {} : { headers: { "x-workspace-id": workspace } }),
      ...(method === "get" || method === "delete" ? {} : { body: bodies[id] ?? {} }),
    },
  );
/** All but what differs from request to request. */
const answer = ({ status, text, headers }: TestReply, target: string) =>
  [status, text.replaceAll(target, "ID").replaceAll(headers["x-request-id"]!, "REQUEST")] as const;

/** A month is no id; sessions are the person's, in every workspace. */
const asked = ({ path, auth, operator, roles }: Operation) =>
  path.includes("{") &&
  !path.includes("{month}") &&
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
    expect(await read("/v1/workspace/webhooks")).toMatchObject([{ id: theirs.ids.getWebhook, enabled: true, previous_secret_until: null }]);
    expect((await gateway.request("GET", "/v1/auth/limits", { key: theirs.key })).status).toBe(200);
  });
});
