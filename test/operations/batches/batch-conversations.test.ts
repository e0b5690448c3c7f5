// Lines of a batch that store responses and go on with what is stored: as their request would, and one at a time for each conversation.
import { describe, expect, test } from "vitest";
import type { TestAccount } from "../../support/gateway.ts";
import { storedWorld } from "../responses/stored-world.ts";
import { createBatch, ended, linesFor, resultsOf } from "./batch-gateway.ts";

const { world, ask, storing, get, answered } = storedWorld({ batches: { lookMs: 50, leaseMs: 600, pauseMs: 50 } });
const endpoint = "/v1/responses";

async function run(account: TestAccount, bodies: object[]) {
  const lines = bodies.map((body) => ({ model: "best", max_output_tokens: 10, ...body }));
  const batch = await ended(world.gateway, account, await createBatch(world.gateway, account, endpoint, linesFor(endpoint, lines)));
  const results = async (file: string | null) => (file === null ? [] : await resultsOf(world.gateway, account, file));
  return { batch, answers: await results(batch.output_file_id), errors: await results(batch.error_file_id) };
}

const itemsOf = async (account: TestAccount, id: string): Promise<any[]> =>
  (await ask(account, "GET", `/v1/conversations/${id}/items?order=asc&limit=100`)).json.data;

describe("a workspace that stores responses", () => {
  test("lines with one conversation wait for each other: each adds its input and its answer, side by side, and is charged once", async () => {
    const account = await storing();
    const conversation: string = (await ask(account, "POST", "/v1/conversations", { items: [] })).json.id;
    const inputs = ["One", "Two", "Three", "Four", "Five"];
    const { batch, answers } = await run(
      account,
      inputs.map((input) => ({ input, conversation })),
    );
    expect(batch.request_counts).toEqual({ total: 5, completed: 5, failed: 0 });
    const items = await itemsOf(account, conversation);
    expect(items.map(({ role }) => role)).toEqual(inputs.flatMap(() => ["user", "assistant"]));
    const asked = items.filter(({ role }) => role === "user").map(({ content }) => content[0].text);
    expect(asked.toSorted()).toEqual(inputs.toSorted());
    for (const [at, input] of asked.entries()) {
      const answer = answers.find(({ custom_id }) => custom_id === `r${inputs.indexOf(input)}`)!.response!.body;
      expect(items[2 * at + 1]).toEqual(answer.output[0]);
    }
    const costs = answers.map(({ response }) => response!.body.usage.cost as number);
    expect((await world.gateway.balance(account)).spent).toBeCloseTo(
      costs.reduce((sum, cost) => sum + cost, 0),
      8,
    );
  });

  test("a line goes on from a stored response, and its own is stored unless it says no", async () => {
    const account = await storing();
    const first = await answered(account, { input: "My dog is called Rex." });
    const { answers } = await run(account, [
      { input: "What is it called?", previous_response_id: first.id },
      { input: "Again", previous_response_id: first.id, store: false },
    ]);
    const [kept, not] = answers.map(({ response }) => response!.body);
    expect([kept.previous_response_id, kept.store, not.store]).toEqual([first.id, true, false]);
    expect(JSON.stringify(world.sent().at(-1))).toContain("Rex");
    expect((await get(account, kept.id)).json).toEqual(kept);
    expect((await get(account, not.id)).status).toBe(404);
  });

  test("a line that names what is not there stands in the error file, and the others go on", async () => {
    const account = await storing();
    const { answers, errors } = await run(account, [
      { input: "a", conversation: "conv_0195c1f2a7e07c3189d2b4a5c6d7e8f9" },
      { input: "b", previous_response_id: "resp_0195c1f2a7e07c3189d2b4a5c6d7e8f9" },
      { input: "c" },
    ]);
    expect(answers.map(({ custom_id }) => custom_id)).toEqual(["r2"]);
    expect(errors.map(({ response }) => [response!.status_code, response!.body.error.code, response!.body.error.param])).toEqual([
      [404, "conversation_not_found", "conversation"],
      [400, "previous_response_not_found", "previous_response_id"],
    ]);
  });
});

test("a workspace that stores none refuses such lines, one by one, for nothing", async () => {
  const account = await world.account();
  const { answers, errors } = await run(account, [
    { input: "a", conversation: "conv_0195c1f2a7e07c3189d2b4a5c6d7e8f9" },
    { input: "b", previous_response_id: "resp_0195c1f2a7e07c3189d2b4a5c6d7e8f9" },
    { input: "c", store: true },
  ]);
  expect(answers.map(({ custom_id, response }) => [custom_id, response!.body.store])).toEqual([["r2", false]]);
  expect(errors.map(({ response }) => [response!.status_code, response!.body.error.code])).toEqual([
    [400, "stateless_only"],
    [400, "stateless_only"],
  ]);
  expect((await world.gateway.balance(account)).spent).toBe(answers[0]!.response!.body.usage.cost);
});
