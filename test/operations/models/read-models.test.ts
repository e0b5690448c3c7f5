// GET /v1/models/{id} and GET /v1/models/recommend over HTTP.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway({ catalog: smallCatalog })));
afterAll(() => gateway.stop());

const get = (path: string) => gateway.request("GET", `/v1/models/${path}`);

describe("getModel 200", () => {
  test.each([
    ["demo%2Fchat-large", "demo/chat-large"],
    ["demo%2fchat%2Dlarge", "demo/chat-large"],
    ["best", "demo/chat-large"],
    ["transcribe", "demo/stt"],
    ["demo%2Fsong", "demo/song"],
  ])("%s reads %s, the very row of the list, without a key", async (path, id) => {
    const reply = await get(path);
    expect(reply.status).toBe(200);
    expect(reply.headers["cache-control"]).toBe("public, max-age=60");
    const { data } = (await gateway.request("GET", "/v1/models")).json;
    expect(reply.json).toEqual(data.find((row: { id: string }) => row.id === id));
  });
});

describe("getModel 404 model_not_found", () => {
  test("unknown: near matches of any type", async () => {
    const { status, json } = await get("demo%2Fchat-larg");
    expect([status, json.error.code, json.error.param, json.error.type]).toEqual([404, "model_not_found", "id", "not_found_error"]);
    expect(json).toMatchObject({ did_you_mean: "demo/chat-large", suggested_models: expect.arrayContaining(["demo/chat-large"]) });
  });

  test("retired: the message names the replacement", async () => {
    const { status, json } = await get("demo%2Fold-music");
    expect([status, json.did_you_mean]).toEqual([404, "demo/music"]);
    expect(json.error.message).toMatch(/retired.*demo\/music/);
  });

  test("paused", async () => {
    const { status, json } = await get("demo%2Fsfx");
    expect(status).toBe(404);
    expect(json.error.message).toMatch(/paused/);
  });
});

describe("getModel 400 invalid_parameter", () => {
  test.each(["a%00b", "%zz", "a%ff"])("%s", async (path) => {
    const { status, json } = await get(path);
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "id"]);
  });
});

describe("recommendModels 200", () => {
  const ids = async (query: string) => (await get(`recommend${query}`)).json.data.map((row: { id: string }) => row.id);

  test("without parameters: every recommended row with reason, rank and free_tier", async () => {
    const { status, json, headers } = await get("recommend");
    expect([status, headers["cache-control"]]).toEqual([200, "public, max-age=60"]);
    expect(json).toMatchObject({ object: "list", use_case: null });
    expect(json.data.map(({ id, rank }: { id: string; rank: number }) => [id, rank])).toEqual([
      ["demo/chat-large", 1],
      ["demo/image", 2],
    ]);
    expect(json.data[0]).toMatchObject({ reason: expect.stringContaining("Agents and long conversations"), free_tier: false });
  });

  test.each<[string, string[]]>([
    ["?use_case=chat", ["demo/chat-large", "acme/see-small"]],
    ["?use_case=coding", ["acme/see-small"]],
    ["?use_case=chat&limit=1", ["demo/chat-large"]],
    ["?use_case=chat&free_tier=true", ["acme/see-small"]],
    ["?use_case=chat&free_tier=0", ["demo/chat-large"]],
    ["?use_case=chat&max_input_price=0.1", ["acme/see-small"]],
    ["?type=image", ["demo/image"]],
    ["?use_case=juggling", []],
    ["?use_case=", ["demo/chat-large", "demo/image"]],
  ])("%s", async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  test("an old name is answered with today's", async () => {
    expect((await get("recommend?use_case=coding")).json.use_case).toBe("write-code");
  });
});

describe("recommendModels 400 invalid_parameter", () => {
  test.each([
    ["limit", "0"],
    ["limit", "101"],
    ["limit", "ten"],
    ["free_tier", "maybe"],
    ["max_input_price", "-1"],
    ["max_input_price", "low"],
  ])("%s=%s", async (param, value) => {
    const { status, json } = await get(`recommend?${param}=${value}`);
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", param]);
  });
});
