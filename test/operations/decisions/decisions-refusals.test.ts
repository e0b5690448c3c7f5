// What POST /v1/decisions and /v1/systemone refuse: every code that they declare, all of it free.
import { describe, expect, test } from "vitest";
import { operations } from "../../../generated/operations.ts";
import { decisions, parcel, questionsOf, withRoutes } from "./decisions.ts";

const paths = [operations.createDecision.path, operations.createSystemOneDecision.path];

describe.each(paths)("%s refuses, and charges nothing", (path) => {
  test.each([
    ["503 provider_unavailable: no route serves", "decide+sim-fail-503", 503, "provider_unavailable", null],
    ["503 model_unavailable: no route knows the model", "decide+sim-404", 503, "model_unavailable", null],
    ["503 model_unavailable: a field of the gateway's own is rejected everywhere", "decide+sim-reject", 503, "model_unavailable", null],
    ["502 upstream_invalid_response: unreadable answers", "decide+sim-html", 502, "upstream_invalid_response", null],
    ["400 invalid_parameter: a state too long for the model", "decide+sim-context", 400, "invalid_parameter", "state"],
    ["400 invalid_parameter: content that every route refuses", "decide+sim-refuse", 400, "invalid_parameter", "state"],
    ["400 invalid_parameter: an answer that was filtered", "decide+sim-finish-filtered", 400, "invalid_parameter", "state"],
  ])("%s", (_, route, status, code, param) =>
    withRoutes([route], async ({ account, decide, gateway, logOf }) => {
      const asking = await account();
      const reply = await decide(asking, {}, path);
      expect([reply.status, reply.json.error.code, reply.json.error.param]).toEqual([status, code, param]);
      expect(await gateway.balance(asking)).toEqual({ balance: 20, reserved: 0, spent: 0 });
      expect(await logOf(reply)).toMatchObject({ status: "failed", http_status: status, error_code: code, cost: 0n });
    }),
  );

  test("what the caller sent, and which callers may", () =>
    withRoutes(["decide"], async ({ account, decide, gateway, sent }) => {
      const asking = await account();
      const refused = async (body: object) => {
        const { status, json } = await decide(asking, body, path);
        expect(status).toBe(400);
        return json;
      };
      const question = (more: object) => ({ questions: { next_step: { ...parcel.questions.next_step, ...more } } });
      const options = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`o${n}`, null]));
      for (const [body, code, param, words] of [
        [{ state: undefined }, "missing_parameter", "state", "a decision is {state, questions:"],
        [{ questions: undefined }, "missing_parameter", "questions", "a decision is {state, questions:"],
        [{ state: 5 }, "invalid_parameter", "state", "a string or an array"],
        [{ state: " \n" }, "invalid_parameter", "state", "empty"],
        [{ state: [] }, "invalid_parameter", "state", "empty"],
        [{ state: [{ type: "image_url" }] }, "missing_parameter", "state[0].text", ""],
        [{ state: [{ type: "image", text: "x" }] }, "invalid_parameter", "state[0].type", '"text"'],
        [{ questions: {} }, "invalid_parameter", "questions", "must not be empty; questions is an object"],
        [{ questions: [] }, "invalid_parameter", "questions", "questions is an object of 1 to 1000 questions"],
        [
          { state: undefined, input: "x", questions: [{ type: "choice", name: "q" }] },
          "invalid_parameter",
          "questions",
          "questions is an object",
        ],
        [{ questions: questionsOf(1001) }, "invalid_parameter", "questions", "at most 1000"],
        [question({ type: "score" }), "invalid_parameter", "questions.next_step.type", '"choice"'],
        [question({ type: undefined }), "missing_parameter", "questions.next_step.type", 'a question is {type: "choice"'],
        [question({ criteria: undefined }), "missing_parameter", "questions.next_step.criteria", "a question is"],
        [question({ criteria: {} }), "invalid_parameter", "questions.next_step.criteria", "must not be empty"],
        [
          question({ criteria: ["a", "b"] }),
          "invalid_parameter",
          "questions.next_step.criteria",
          "criteria is an object of 1 to 255 options",
        ],
        [question({ criteria: options(256) }), "invalid_parameter", "questions.next_step.criteria", "at most 255"],
        [question({ criteria: { a: 5 } }), "invalid_parameter", "questions.next_step.criteria.a", "a string or null"],
      ] as const) {
        const json = await refused(body);
        expect([json.error.code, json.error.param]).toEqual([code, param]);
        expect(json.error.message).toContain(words);
        expect(json).not.toHaveProperty("suggested_models");
      }
      const other = await refused({ model: "jevv" });
      expect(other.error).toMatchObject({ code: "invalid_parameter", param: "model" });
      expect(other).toMatchObject({ did_you_mean: "jev", suggested_models: ["jev"] });
      expect((await refused({ model: "" })).suggested_models).toEqual(["jev"]);
      expect(sent()).toEqual([]);

      const poor = await decide(await account("0.00000001"), {}, path);
      expect([poor.status, poor.json.error.code]).toEqual([402, "insufficient_credits"]);
      const free = await decide(await gateway.createAccount({ signupCredit: true }), {}, path);
      expect([free.status, free.json.error.code]).toEqual([402, "model_requires_paid"]);
      const limited = await account();
      await gateway.context.db.pool.query("update key_budget set limit_amount = 0 where account_id = $1", [limited.accountId]);
      const key = await decide(limited, {}, path);
      expect([key.status, key.json.error.code]).toEqual([402, "key_limit_reached"]);
    }));

  test.each([
    ["paused", { models: [decisions(["decide"], { state: { paused: true } })] }],
    ["not in the catalog", { models: [] }],
  ])("503 model_unavailable: jev is %s, by its name and by default", (_, more) =>
    withRoutes(
      ["decide"],
      async ({ account, decide }) => {
        for (const model of ["jev", undefined]) {
          const { status, json } = await decide(await account(), { model }, path);
          expect([status, json.error.code]).toEqual([503, "model_unavailable"]);
        }
      },
      more,
    ),
  );
});

test("413 request_too_large: the whole of what all questions read counts for the tier", () =>
  withRoutes(
    ["decide"],
    async ({ account, decide }) => {
      const asking = await account("5");
      const state = "word ".repeat(10_000);
      expect((await decide(asking, { state, questions: questionsOf(1) })).status).toBe(200);
      const { status, json } = await decide(asking, { state, questions: questionsOf(300) });
      expect([status, json.error.code]).toEqual([413, "request_too_large"]);
    },
    { tiers: undefined },
  ));
