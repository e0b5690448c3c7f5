// Every list of the contract shows one workspace: nothing of another is in it, and to one that has nothing it is empty.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Operation, operations } from "../../../generated/operations.ts";
import { allOperations, resolved } from "../../contract/read-contract.ts";
import { type Filled, type FilledGateway, startFilledGateway } from "./filled-gateway.ts";
import type { Person } from "./team-gateway.ts";

interface Asker {
  owner: Person;
  workspace: string;
  key: string;
}

let gateway: FilledGateway;
let theirs: Filled;
let ours: Filled;
/** Another workspace of the person who owns theirs: with a key, and nothing else. */
let bare: Asker;
beforeAll(async () => {
  gateway = await startFilledGateway();
  [theirs, ours] = [await gateway.filled(), await gateway.filled()];
  const { owner } = theirs;
  const { workspace } = await gateway.createWorkspace(owner);
  const made = await gateway.ask(owner, "POST", "/v1/auth/keys", { in: workspace, body: { name: "bare" } });
  bare = { owner, workspace, key: made.json.api_key };
});
afterAll(() => gateway.stop());

const lists = allOperations()
  .filter(({ method, path, responses }) => {
    const schema = responses["200"]?.content?.["application/json"]?.schema;
    const data = schema && resolved(schema).properties?.["data"];
    return method === "get" && !path.includes("{") && data !== undefined && resolved(data).type === "array";
  })
  .map(({ operationId }) => operations[operationId as Operation["id"]])
  .filter(({ auth, operator }) => auth !== "none" && operator === undefined);
/** What the operator sells, to everybody. */
const ofAll: Operation["id"][] = ["getLegacyPricing"];
const queries: Partial<Record<Operation["id"], string[]>> = {
  listVoices: ["?provider=all"],
  getUsageSummary: ["?group_by=key", "?group_by=member", "?group_by=tag", "?group_by=key,member,tag"],
};
const asked = lists
  .filter(({ id }) => !ofAll.includes(id))
  .flatMap((operation) => (queries[operation.id] ?? [""]).map((query) => [`${operation.id}${query}`, operation, query] as const));

/** The rows, with each credential that the operation takes. */
async function rows(
  { owner, workspace, key }: Asker,
  { auth, path }: Operation,
  query: string,
): Promise<{ credential: string; data: object[] }[]> {
  const bySession = auth === "key" ? [] : [["session", await gateway.ask(owner, "GET", path + query, { in: workspace })] as const];
  const byKey = auth === "session" ? [] : [["key", await gateway.request("GET", path + query, { key })] as const];
  return [...bySession, ...byKey].map(([credential, { status, json }]) => {
    expect([credential, status]).toEqual([credential, 200]);
    return { credential, data: json.data };
  });
}
/** Texts that only the other workspace's lists may hold. */
const marks = ({ ids, viewer, key, accountId }: Filled) => [
  ...Object.values(ids),
  ...[viewer.email, viewer.userId, key.slice(0, 8), `-${accountId}-lit`],
];

test("the lists are those of the contract", () => {
  const known: Operation["id"][] = [
    ...(["listApiKeys", "listBatches", "listCreditGrants", "listDomains", "listFiles", "listInvitations", "listJobs"] as const),
    ...(["listLedgerEntries", "listMembers", "listNotices", "listStatements", "listUsageLogs", "listVoices", "listWebhooks"] as const),
    ...(["listSessions", "listWorkspaces", "getUsageSummary", ...ofAll] as const),
  ];
  expect(lists.map(({ id }) => id).sort()).toEqual(known.sort());
});

describe("nothing of another workspace is in", () => {
  test.each(asked)("%s", async (_, operation, query) => {
    const [foreign, own, none] = [
      await rows(theirs, operation, query),
      await rows(ours, operation, query),
      await rows(bare, operation, query),
    ];
    const notOurs = new Set(foreign.flatMap(({ data }) => data.map((row) => JSON.stringify(row))));
    for (const { credential, data } of [...foreign, ...own])
      expect([credential, data]).toEqual([credential, expect.arrayContaining([expect.anything()])]);
    for (const { data } of own) {
      expect(data.filter((row) => notOurs.has(JSON.stringify(row)))).toEqual([]);
      for (const mark of marks(theirs)) expect(JSON.stringify(data)).not.toContain(mark);
    }
    if (operation.auth === "session" && operation.roles === undefined) return; // the person's, in every workspace
    const has = operation.id === "listApiKeys" || operation.id === "listMembers" ? 1 : 0;
    for (const { data } of none) {
      expect(data).toHaveLength(has);
      for (const mark of [...marks(theirs), ...marks(ours)]) expect(JSON.stringify(data)).not.toContain(mark);
    }
  });
});
