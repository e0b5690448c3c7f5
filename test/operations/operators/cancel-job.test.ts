// POST /v1/operator/jobs/{id}/cancel: what operators, the job's caller and those who wait for it see of a job that is cancelled.
import { describe, expect, test } from "vitest";
import type { OperatorRole } from "../../../src/accounts/operators.ts";
import { makeImage } from "../../../src/simulator/made/image.ts";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import { endJob, newJob } from "../../support/media-jobs.ts";
import { newOperator } from "../../support/operators.ts";
import { highTiers } from "../../support/tiers.ts";
import { chatWorld, provider } from "../chat/chat-gateway.ts";

const world = chatWorld(
  [
    {
      ...{ id: "demo/slow", type: "image", input_modalities: ["text", "image"], pricing: { mode: "per-image", usd_per_image: 0.04 } },
      routes: [{ provider: "queue", model: "ember/flash-image+sim-job-hang" }],
    },
    {
      ...{ id: "demo/slow-variations", type: "image", pricing: { mode: "per-image", usd_per_image: 0.04 }, supports_variations: true },
      routes: [{ provider: "north", model: "image-large+sim-hang" }],
    },
  ],
  {
    providers: [provider("north"), provider("queue", { protocol: "fal", base_url: "simulator:/fal" })],
    tiers: highTiers({ image_concurrent: 1, image_queue_depth_cap: 5 }),
  },
  { jobs: { lookMs: { first: 10, last: 50 } } },
);
const operators = new Map<OperatorRole, Promise<string>>();
const keyOf = async (role: OperatorRole) => {
  if (!operators.has(role))
    operators.set(
      role,
      newOperator(world.gateway, role).then(({ key }) => key),
    );
  return operators.get(role)!;
};
const cancel = async (id: string, { role = "support" as OperatorRole, key = "", reason = "it hangs" } = {}) =>
  world.gateway.request("POST", `/v1/operator/jobs/${id}/cancel`, { key: key || (await keyOf(role)), body: { reason } });
const codeOf = ({ status, json }: TestReply) => [status, json.error?.code];
const actionsOn = async (target: string) =>
  (await world.gateway.request("GET", `/v1/operator/audit?target=${target}`, { key: await keyOf("support") })).json.data;
const jobOf = async (account: TestAccount, id: string) => (await world.gateway.request("GET", `/v1/jobs/${id}`, { key: account.key })).json;
/** Of the account's one job, once its host has it. A host that answers at once gives no ticket. */
const idOfJob = async ({ accountId }: TestAccount) => {
  const newest = async () => {
    const sql =
      "select shown_id from media_job where account_id = $1 and (upstream is not null or intent_at is not null and model = 'demo/slow-variations')";
    return (await world.gateway.context.db.pool.query<{ shown_id: string }>(sql, [accountId])).rows[0]?.shown_id;
  };
  await expect.poll(newest).toBeDefined();
  return (await newest())!;
};

describe("a job is cancelled", () => {
  test.each(["support", "finance", "admin"] as const)(
    "by an operator with the role %s: its hold is back, one row of the log",
    async (role) => {
      const account = await world.account();
      const job = await newJob(world.gateway, account);
      const { status, json } = await cancel(job.shownId, { role });
      expect([status, json]).toMatchObject([
        200,
        {
          ...{ id: job.shownId, object: "operator.job", status: "failed", charged_usd: null, refunded_usd: 0.04, leased_until: null },
          ...{
            email: account.email,
            error: { code: "job_cancelled", message: "The operator of the gateway cancelled the job.", word: null },
          },
        },
      ]);
      expect(json.ledger.map(({ type }: { type: string }) => type)).toEqual(["hold", "hold_release"]);
      await world.expectUntouched(account);
      expect(await actionsOn(job.shownId)).toMatchObject([
        {
          ...{ action: "job.cancel", role, reason: "it hangs", before: { status: "pending" } },
          after: { status: "failed", error: "job_cancelled", released_usd: 0.04 },
        },
      ]);
      expect(await jobOf(account, job.shownId)).toMatchObject({
        status: "failed",
        error: { code: "job_cancelled" },
        refunded_amount: 0.04,
      });
    },
  );

  test("that waits: it held nothing, and the log says so", async () => {
    const account = await world.account();
    const [first, waiting] = [await newJob(world.gateway, account), await newJob(world.gateway, account)];
    expect((await cancel(waiting.shownId)).json).toMatchObject({ status: "failed", refunded_usd: null, ledger: [] });
    expect(await actionsOn(waiting.shownId)).toMatchObject([{ before: { status: "queued" }, after: { released_usd: 0 } }]);
    await cancel(first.shownId);
    await world.expectUntouched(account);
  });

  test("by many at the same time: once; the others get 409 not_possible, and there is one row", async () => {
    const account = await world.account();
    const job = await newJob(world.gateway, account);
    const replies = await Promise.all(Array.from({ length: 6 }, () => cancel(job.shownId)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect(await actionsOn(job.shownId)).toHaveLength(1);
    await world.expectUntouched(account);
  });
});

describe("those who wait for it get 409 job_cancelled, which no client repeats", () => {
  const form = (model: string) => {
    const written = new FormData();
    for (const [name, value] of Object.entries({ model, prompt: "A boat" })) written.append(name, value);
    written.append("image", new Blob([new Uint8Array(makeImage("png", 64, 64, "harbour").bytes)]), "a.png");
    return new Response(written);
  };
  test.each<[string, (account: TestAccount) => Promise<TestReply>]>([
    ["createImage", ({ key }) => world.gateway.request("POST", "/v1/images/generations", { key, body: { model: "demo/slow", prompt: "A boat" }, headers: { prefer: "wait" } })], // prettier-ignore
    ...[["edits", "demo/slow"] as const, ["variations", "demo/slow-variations"] as const].map(
      ([what, model]): [string, (account: TestAccount) => Promise<TestReply>] => [
        `images/${what}`,
        async ({ key }) => {
          const sent = form(model);
          const headers = { "content-type": sent.headers.get("content-type")! };
          return world.gateway.request("POST", `/v1/images/${what}`, { key, body: Buffer.from(await sent.arrayBuffer()), headers });
        },
      ],
    ),
    [
      "runGenmedia",
      ({ key }) => world.gateway.request("POST", "/v1/genmedia/run", { key, body: { model: "demo/slow", prompt: "A boat" } }),
    ],
  ])("%s", async (_, send) => {
    const account = await world.account();
    const waiting = send(account);
    await cancel(await idOfJob(account));
    const { status, headers, json } = await waiting;
    expect([status, headers["x-should-retry"], json.error?.code ?? json.details.code]).toEqual([409, "false", "job_cancelled"]);
    await world.expectUntouched(account);
  });
});

describe("refused, and nothing moves", () => {
  test("409 not_possible: the job has ended, well or not", async () => {
    const account = await world.account();
    const [made, failed] = [await newJob(world.gateway, account), await newJob(world.gateway, account)];
    await endJob(world.gateway, account, made, { to: "succeeded", charged: "0.04" });
    await endJob(world.gateway, account, failed, { to: "failed" });
    for (const [job, status] of [
      [made, "succeeded"],
      [failed, "failed"],
    ] as const) {
      // prettier-ignore
      const reply = await cancel(job.shownId);
      expect(codeOf(reply)).toEqual([409, "not_possible"]);
      expect(reply.json.error.message).toContain(`the job is ${status}: it has ended`);
      expect(await jobOf(account, job.shownId)).toMatchObject({ status });
      expect(await actionsOn(job.shownId)).toEqual([]);
    }
    expect(await world.gateway.balance(account)).toMatchObject({ balance: 19.96, reserved: 0, spent: 0.04 });
  });

  test("404 job_not_found: there is no such job, or the id has another API's prefix", async () => {
    const account = await world.account();
    const job = await newJob(world.gateway, account);
    for (const id of ["job_1", `job_${"0".repeat(32)}`, job.shownId.replace("job_", "vid_")])
      expect(codeOf(await cancel(id))).toEqual([404, "job_not_found"]);
    expect(await jobOf(account, job.shownId)).toMatchObject({ status: "pending" });
    await cancel(job.shownId);
  });

  test("404 endpoint_not_found, 401: the job's own account, which is no operator's, and nobody at all", async () => {
    const account = await world.account();
    const job = await newJob(world.gateway, account);
    const { token } = await world.gateway.createSession(account);
    expect(codeOf(await cancel(job.shownId, { key: token }))).toEqual([404, "endpoint_not_found"]);
    expect((await cancel(job.shownId, { key: account.key })).status).toBeGreaterThanOrEqual(401);
    expect(await jobOf(account, job.shownId)).toMatchObject({ status: "pending" });
    await cancel(job.shownId);
  });

  test("400: without a reason", async () => {
    const account = await world.account();
    const job = await newJob(world.gateway, account);
    expect(codeOf(await cancel(job.shownId, { reason: " " }))).toEqual([400, "invalid_parameter"]);
    expect(await jobOf(account, job.shownId)).toMatchObject({ status: "pending" });
    await cancel(job.shownId);
  });
});
