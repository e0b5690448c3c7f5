// GET /v1/models as Anthropic's clients page through it. Other clients get no pages.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway({ catalog: smallCatalog })));
afterAll(() => gateway.stop());

const asAnthropic = { "anthropic-version": "2023-06-01" };
const ask = (query: string, headers: Record<string, string> = asAnthropic) => gateway.request("GET", `/v1/models${query}`, { headers });
const idsOf = (list: { data: { id: string }[] }) => list.data.map(({ id }) => id);
const all = async () => idsOf((await ask("")).json);
const at = (id: string | undefined) => encodeURIComponent(id!);

describe("200, with the header anthropic-version", () => {
  test("without limit the list is whole", async () => {
    const { json } = await ask("");
    expect(json).toMatchObject({ has_more: false, first_id: json.data[0].id, last_id: json.data.at(-1).id });
    expect(json.data.length).toBeGreaterThan(5);
  });

  test.each([1, 2, 3, 50])(
    "pages of %i, each after the last one's end, are the list; the last says that nothing follows",
    async (limit) => {
      const whole = await all();
      const seen: string[] = [];
      for (let query = `?limit=${limit}`; ;) {
        const { json } = await ask(query);
        const ids = idsOf(json);
        expect(json).toMatchObject({ first_id: ids[0], last_id: ids.at(-1), filters: { type: [] } });
        expect(ids).toHaveLength(Math.min(limit, whole.length - seen.length));
        seen.push(...ids);
        expect(json.has_more).toBe(seen.length < whole.length);
        if (!json.has_more) break;
        query = `?limit=${limit}&after_id=${at(json.last_id)}`;
      }
      expect(seen).toEqual(whole);
    },
  );

  test("before_id pages backwards: the rows next to it, and whether others stand before those", async () => {
    const whole = await all();
    const near = (await ask(`?limit=2&before_id=${at(whole[4])}`)).json;
    expect([idsOf(near), near.has_more]).toEqual([whole.slice(2, 4), true]);
    const first = (await ask(`?limit=2&before_id=${at(whole[2])}`)).json;
    expect([idsOf(first), first.has_more]).toEqual([whole.slice(0, 2), false]);
    const between = (await ask(`?after_id=${at(whole[0])}&before_id=${at(whole[3])}`)).json;
    expect([idsOf(between), between.has_more]).toEqual([whole.slice(1, 3), false]);
  });

  test("filters come first: a page is one of what fits them", async () => {
    const chats = idsOf((await ask("?type=language")).json);
    const { json } = await ask("?type=language&limit=1");
    expect([idsOf(json), json.has_more, json.filters.type]).toEqual([chats.slice(0, 1), true, ["language"]]);
    const rest = (await ask(`?type=language&after_id=${at(chats[0])}`)).json;
    expect(idsOf(rest)).toEqual(chats.slice(1));
  });

  test("past the end nothing is left", async () => {
    const { json } = await ask(`?limit=2&after_id=${at((await all()).at(-1))}`);
    expect(json).toMatchObject({ data: [], has_more: false, first_id: null, last_id: null });
  });

  test("an empty id counts as absent; caches learn that the header matters", async () => {
    const { json, headers } = await ask("?limit=2&after_id=&before_id=");
    expect(idsOf(json)).toEqual((await all()).slice(0, 2));
    expect(headers["vary"]).toContain("anthropic-version");
  });
});

describe("200, without it", () => {
  test("the list is whole whatever is asked for, as for every client of OpenAI", async () => {
    const whole = (await ask("", {})).json;
    const { json, headers } = await ask("?limit=2&after_id=demo/none", {});
    expect(json).toEqual(whole);
    expect(headers["vary"]).toContain("anthropic-version");
    expect((await ask("", {})).headers["vary"] ?? "").not.toContain("anthropic-version");
  });
});

describe("400 invalid_parameter", () => {
  test.each([
    ["?limit=0", "limit"],
    ["?limit=two", "limit"],
    ["?after_id=demo/none", "after_id"],
    ["?before_id=demo/none", "before_id"],
    ["?type=language&after_id=demo/image", "after_id"],
  ])("%s blames %s", async (query, param) => {
    const { status, json } = await ask(query);
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", param]);
  });
});
