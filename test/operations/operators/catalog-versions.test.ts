// Operators put another catalog to use and go back: versions, who may, what is refused, and the log of actions.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount, type TestReply } from "../../support/gateway.ts";
import { newOperator } from "../../support/operators.ts";

const catalog = (input: number, headers = "{ X-Team: 'Bearer ${TEAM_KEY}', X-Plain: sk-plain }", key = "NORTH_KEY") =>
  `providers:\n  - { id: north, protocol: openai, base_url: "simulator:/openai/v1", api_key_env: ${key}, headers: ${headers} }\n` +
  `models:\n  - { id: demo/chat, type: language, pricing: { mode: per-token, input: ${input}, output: 10 }, routes: [{ provider: north, model: up, cost: { input: 2, output: 8 } }] }\n`;
const secrets = /sk-secret|sk-team|sk-deep/;

let gateway: Gateway;
let admin: { account: TestAccount; key: string };
beforeAll(async () => {
  const env = { NORTH_KEY: "sk-secret", TEAM_KEY: "sk-team", PRIVATE_KEY: "sk-deep" };
  gateway = await startGateway({ catalog: catalog(3), env });
  admin = await newOperator(gateway, "admin");
});
afterAll(() => gateway.stop());

const path = "/v1/operator/catalog";
const post = async (what: string, body: object, key = admin.key) => {
  const reply = await gateway.request("POST", `${path}/${what}`, { key, body: { reason: "a test", ...body } });
  expect(reply.text).not.toMatch(secrets);
  return reply;
};
const get = async (what = "") => (await gateway.request("GET", `${path}${what}`, { key: admin.key })).json;
const inUse = async (version: number) => eventually(async () => expect((await get()).version).toBe(version));
const codeOf = ({ status, json }: TestReply) => [status, json.error?.code];
const price = async () => (await gateway.request("GET", "/v1/models/demo%2Fchat")).json.pricing.input;
const actions = async (action: string) =>
  (await gateway.request("GET", `/v1/operator/audit?action=${action}`, { key: admin.key })).json.data;

describe("applying and reverting", () => {
  test("another text is in use in every process from then on, as a version with who and why; and back to the file", async () => {
    expect([await get("/versions"), (await get()).version, (await get()).refused]).toEqual([{ object: "list", data: [] }, 0, null]);
    const second = await startGateway({ catalog: catalog(3), databaseUrl: gateway.databaseUrl, env: { NORTH_KEY: "a", TEAM_KEY: "b" } });
    const compared = (await post("diff", { text: catalog(5) })).json;
    expect([compared.version, compared.changes.length]).toEqual([0, 1]);

    const applied = await post("apply", { text: catalog(5), expected_version: compared.version, reason: " prices of December " });
    expect([applied.status, applied.json]).toEqual([
      200,
      { object: "operator.catalog.applied", version: 1, applied: true, restores: null },
    ]);
    for (const { url } of [gateway, second])
      await eventually(async () => {
        const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: { pricing: { input: number } }[] };
        expect(data[0]!.pricing.input).toBe(5);
      });
    await second.stop();
    const row = { applied_by: admin.account.email, reason: "prices of December", restores: null, in_use: true };
    expect((await get("/versions")).data).toEqual([expect.objectContaining({ object: "operator.catalog.version", version: 1, ...row })]);
    expect(await get()).toMatchObject({ version: 1, sha256: (await get("/versions")).data[0].sha256, models: 1 });

    const again = await post("apply", { text: catalog(5), expected_version: 1 });
    expect(again.json).toMatchObject({ version: 1, applied: false });
    const reverted = await post("revert", { expected_version: 1, reason: "too dear" });
    expect([reverted.status, reverted.json]).toEqual([200, { object: "operator.catalog.applied", version: 2, applied: true, restores: 0 }]);
    await inUse(2);
    expect(await price()).toBe(3);
    expect((await actions("catalog.apply")).map(({ who, target, reason }: Record<string, string>) => [who, target, reason])).toEqual([
      [admin.account.email, "version 1", "prices of December"],
    ]);
    expect((await actions("catalog.revert"))[0]).toMatchObject({ before: { version: 1 }, after: { version: 2, restores: 0 } });
  });

  test("409 not_possible: of two operators who saw the same version one wins; no revert before the first version", async () => {
    const { version } = await get();
    const both = await Promise.all([6, 7].map((input) => post("apply", { text: catalog(input), expected_version: version })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = both.find(({ status }) => status === 409)!;
    expect([refused.json.error.code, refused.json.error.message]).toEqual([
      "not_possible",
      expect.stringContaining(`not ${version}; compare again`),
    ]);
    expect(codeOf(await post("revert", { expected_version: version }))).toEqual([409, "not_possible"]);
    await post("revert", { expected_version: version + 1 });
    await inUse(version + 2);
    const first = await post("revert", { expected_version: version + 2 });
    expect([...codeOf(first), first.json.error.message]).toEqual([
      409,
      "not_possible",
      expect.stringContaining("nothing was applied before it"),
    ]);
  });
});

describe("what is refused changes nothing", () => {
  const refusals: [what: string, text: string, message: string][] = [
    ["a price below 0", catalog(-1), "line 4: models[0].pricing.input"],
    ["a text that is no YAML", "models: [", "line "],
    [
      "a variable of the environment that no catalog names",
      catalog(5, "{}", "PRIVATE_KEY"),
      "no catalog of this gateway names the variable PRIVATE_KEY",
    ],
    ["one within a header", catalog(5, "{ X-Database: '${DATABASE_URL}' }"), "names the variable DATABASE_URL"],
    ["a vendor's key that is not set", catalog(5, "{}", "OPENAI_API_KEY"), "not set here: OPENAI_API_KEY"],
    ["a header that was not shown", catalog(5, '{ X-Plain: "(hidden)" }'), 'a header of provider "north" is not shown here'],
  ];
  test.each(refusals)("400 invalid_parameter: %s", async (_, text, message) => {
    const { version } = await get();
    const { status, json } = await post("apply", { text, expected_version: version });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "text"]);
    expect(json.error.message).toContain(message);
    expect((await get("/versions")).data[0]?.version ?? 0).toBe(version);
  });

  test.each(["support", "finance"] as const)("403 permission_denied: %s reads the versions and changes none", async (role) => {
    const { key } = await newOperator(gateway, role);
    expect((await gateway.request("GET", `${path}/versions`, { key })).status).toBe(200);
    const body = { text: catalog(5), expected_version: (await get()).version };
    for (const what of ["apply", "revert"]) expect(codeOf(await post(what, body, key))).toEqual([403, "permission_denied"]);
  });

  test.each([
    ["apply", { text: "models: []" }, "missing_parameter"],
    ["apply", { expected_version: 0 }, "missing_parameter"],
    ["apply", { text: "models: []", expected_version: -1 }, "invalid_parameter"],
    ["apply", { text: "x".repeat(4_000_001), expected_version: 0 }, "invalid_parameter"],
    ["revert", {}, "missing_parameter"],
    ["revert", { expected_version: 0, reason: "two\nlines" }, "invalid_parameter"],
  ])("400: %s without a field, or with a wrong one", async (what, body, code) => {
    expect(codeOf(await post(what, body))).toEqual([400, code]);
  });
});
