// Operators' vouchers over HTTP: codes are shown once, each change has its row of the log, and a voucher is either redeemed or ended.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import { type Gateway, startGateway, type TestAccount, type TestReply } from "../../support/gateway.ts";
import { newOperator } from "../../support/operators.ts";

let now = Date.parse("2026-11-26T12:00:00Z");
let gateway: Gateway;
let finance: { account: TestAccount; key: string };
let support: typeof finance;
beforeAll(async () => {
  gateway = await startGateway({ catalog: smallCatalog, clock: () => new Date(now), env: { SVC_TRUSTED_PROXIES: "1" } });
  [finance, support] = [await newOperator(gateway, "finance"), await newOperator(gateway, "support")];
});
afterAll(async () => {
  const audited = await gateway.audit();
  await gateway.stop();
  expect(audited.mismatches).toEqual([]);
});

const codeOf = ({ status, json }: TestReply) => [status, json.error?.code];
const get = (path: string, key = support.key) => gateway.request("GET", `/v1/operator/${path}`, { key });
const post = (path: string, body: object = {}, { key = finance.key, headers = {} as Record<string, string> } = {}) =>
  gateway.request("POST", `/v1/operator/${path}`, { key, headers, body: { reason: "a test", ...body } });
interface Made {
  batch: number;
  vouchers: { id: string; code: string }[];
}
async function make(body: object = {}): Promise<Made> {
  const { status, json } = await post("vouchers", { amount_usd: 2.5, ...body });
  expect(status).toBe(200);
  return json;
}
let clients = 0;
/** From a network of its own: what a network tries is limited. */
async function redeem(code: string, account?: TestAccount) {
  const who = account ?? (await gateway.createAccount());
  const { token } = await gateway.createSession(who);
  const headers = { "x-forwarded-for": `10.2.0.${clients++}` };
  return gateway.request("POST", "/v1/credits/vouchers/redeem", { key: token, headers, body: { code } });
}
const actionsOn = async (target: string) => (await get(`audit?target=${encodeURIComponent(target)}`)).json.data;
const statusesOf = async ({ batch }: Made) => {
  const { data } = (await get(`vouchers?batch=${batch}`)).json as { data: { id: string; status: string }[] };
  return new Map(data.map(({ id, status }) => [id, status]));
};
const batches = async () => (await gateway.context.db.pool.query("select 1 from voucher_batch")).rowCount!;

describe("POST /v1/operator/vouchers", () => {
  test("makes vouchers that are redeemed once each, for the exact amount; the list says by whom and when", async () => {
    const terms = { expires_at: "2026-12-31T00:00:00.000Z", credit_days: 30, once_per_account: true };
    const { status, json } = await post("vouchers", { amount_usd: 0.00000003, count: 2, ...terms });
    expect([status, json]).toMatchObject([
      200,
      {
        ...{ object: "operator.voucher.batch", amount_usd: 0.00000003, count: 2, redeemed: 0, ...terms, ended_at: null },
        ...{ created_at: new Date(now).toISOString(), created_by: finance.account.email },
      },
    ]);
    const made = json as Made;
    const [first, second] = made.vouchers as [Made["vouchers"][number], Made["vouchers"][number]];
    const account = await gateway.createAccount();
    const redeemed = await redeem(first.code, account);
    expect(redeemed.json).toMatchObject({ amount_usd: 0.00000003, balance_usd: 0.00000003, expires_at: "2026-12-26T12:00:00.000Z" });
    expect(codeOf(await redeem(first.code))).toEqual([409, "voucher_not_redeemable"]);
    expect(codeOf(await redeem(second.code, account))).toEqual([409, "voucher_not_redeemable"]);
    expect(await gateway.balance(account)).toMatchObject({ balance: 0.00000003 });

    const shown = await get(`vouchers/${first.id}`);
    expect(shown.json).toEqual({
      ...{ id: first.id, object: "operator.voucher", batch: made.batch, amount_usd: 0.00000003, status: "redeemed" },
      ...{ account_id: account.id, redeemed_at: new Date(now).toISOString(), ended_at: null, ...terms },
      ...{ created_at: new Date(now).toISOString(), created_by: finance.account.email },
    });
    expect((await get(`vouchers?account=${account.id}`)).json.data).toEqual([shown.json]);
    const { data } = (await get(`accounts/${account.id}/ledger`)).json;
    expect(data).toMatchObject([{ type: "gift", ref: first.id, amount_usd: 0.00000003 }]);
  });

  test("shows the codes in its answer alone: no list, row of the log or row of the database has one", async () => {
    const { batch, vouchers } = await make({ count: 3 });
    await post(`vouchers/${vouchers[0]!.id}/end`);
    const audit = await gateway.request("GET", "/v1/operator/audit?limit=1000", { key: support.key });
    const { rows } = await gateway.context.db.pool.query("select v::text as row from voucher v where batch_id = $1", [batch]);
    const texts = [await get("vouchers"), await get(`vouchers/${vouchers[1]!.id}`), audit].map(({ text }) => text);
    expect(texts.every((text) => text.includes("once_per_account"))).toBe(true);
    for (const text of [...texts, ...rows.map(({ row }) => row as string)])
      for (const { code } of vouchers) expect(text).not.toContain(code.slice(0, 9));
  });

  test("is a row of the log with what was made and why", async () => {
    const { batch } = await make({ count: 2, credit_days: 90 });
    expect(await actionsOn(`batch ${batch}`)).toMatchObject([
      {
        ...{ action: "voucher.create", who: finance.account.email, role: "finance", reason: "a test", before: null },
        after: { amount_usd: 2.5, count: 2, credit_days: 90, expires_at: null, once_per_account: false },
      },
    ]);
  });

  test("409 for repeats with the same Idempotency-Key, at once and later: vouchers are made once, and the batch is named", async () => {
    const before = await batches();
    const send = (body: object = {}, key = finance.key) =>
      post("vouchers", { amount_usd: 1, ...body }, { key, headers: { "idempotency-key": "once" } });
    const replies = await Promise.all([send(), send(), send()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const { batch } = replies.find(({ status }) => status === 200)!.json as Made;
    for (const repeated of [...replies.filter(({ status }) => status === 409), await send()]) {
      expect(codeOf(repeated)).toEqual([409, "not_possible"]);
      expect(repeated.json.error.message).toContain(`batch ${batch} was made with this Idempotency-Key`);
    }
    expect(codeOf(await send({ count: 2 }))).toEqual([409, "idempotency_key_reused"]);
    expect(await batches()).toBe(before + 1);
    expect(await actionsOn(`batch ${batch}`)).toHaveLength(1);
    expect((await send({}, (await newOperator(gateway, "finance")).key)).status).toBe(200);
  });

  test("400 for what no voucher can be; nothing is made", async () => {
    const before = await batches();
    for (const [param, value] of [
      ["amount_usd", 0],
      ["amount_usd", -1],
      ["amount_usd", 1e-9],
      ["count", 0],
      ["count", 1001],
      ["expires_at", new Date(now).toISOString()],
      ["expires_at", "2026-12-31T00:00:61Z"],
      ["credit_days", 0],
      ["reason", " "],
    ] as const) {
      const reply = await post("vouchers", { amount_usd: 1, [param]: value });
      expect([param, value, ...codeOf(reply), reply.json.error.param]).toEqual([param, value, 400, "invalid_parameter", param]);
    }
    expect(await batches()).toBe(before);
  });
});

describe("GET /v1/operator/vouchers", () => {
  test("a page follows another without a gap or a repeat, the newest batch first", async () => {
    const [older, newer] = [await make({ count: 3 }), await make({ count: 3 })];
    const whole = (await get("vouchers?limit=6")).json.data as { id: string; batch: number }[];
    expect(whole.map(({ batch }) => batch)).toEqual([newer, newer, newer, older, older, older].map(({ batch }) => batch));
    const seen: string[] = [];
    for (let after = ""; seen.length < 6;) {
      const { json } = await get(`vouchers?limit=2${after}`);
      seen.push(...(json.data as { id: string }[]).map(({ id }) => id));
      after = `&after=${json.last_id as string}`;
    }
    expect(seen).toEqual(whole.map(({ id }) => id));
    expect(new Set(seen)).toEqual(new Set([...older.vouchers, ...newer.vouchers].map(({ id }) => id)));
    const last = (await get(`vouchers?batch=${older.batch}&after=${seen[4]}`)).json;
    expect(last).toMatchObject({ data: [{ id: seen[5] }], has_more: false });
  });

  test("says what became of each: open, redeemed, ended or expired, and lists by it", async () => {
    const late = await make({ expires_at: new Date(now + 1000).toISOString() });
    const made = await make({ count: 3 });
    const [redeemed, ended, open] = made.vouchers.map(({ id }) => id);
    expect((await redeem(made.vouchers[0]!.code)).status).toBe(200);
    expect((await post(`vouchers/${ended}/end`)).status).toBe(200);
    expect(await statusesOf(late)).toEqual(new Map([[late.vouchers[0]!.id, "open"]]));
    now += 1000;
    expect(await statusesOf(late)).toEqual(new Map([[late.vouchers[0]!.id, "expired"]]));
    expect(codeOf(await redeem(late.vouchers[0]!.code))).toEqual([409, "voucher_not_redeemable"]);
    for (const [status, id] of Object.entries({ redeemed, ended, open }))
      expect((await get(`vouchers?batch=${made.batch}&status=${status}`)).json.data).toMatchObject([{ id, status }]);
    expect((await get("vouchers?status=expired")).json.data).toMatchObject([{ id: late.vouchers[0]!.id }]);
  });

  test("400 for an `after` of no list, a batch, an account and a status that can't be; 404 voucher_not_found for an id that does not exist", async () => {
    const unknown = `vou_${"0".repeat(32)}`;
    for (const query of [`after=${unknown}`, "after=led_1", "batch=0", "account=ada", "status=gone", "limit=101"])
      expect([query, ...codeOf(await get(`vouchers?${query}`))]).toEqual([query, 400, "invalid_parameter"]);
    for (const id of [unknown, "vou_1", "led_1"]) expect(codeOf(await get(`vouchers/${id}`))).toEqual([404, "voucher_not_found"]);
  });
});

describe("POST /v1/operator/vouchers/{id}/end", () => {
  test("ends this one alone, with a row of the log; a second time gives 409 and no row", async () => {
    const { vouchers, batch } = await make({ count: 2 });
    const [first, second] = vouchers as [Made["vouchers"][number], Made["vouchers"][number]];
    const { status, json } = await post(`vouchers/${first.id}/end`, { reason: "sent to the wrong address" });
    const ended_at = new Date(now).toISOString();
    expect([status, json]).toMatchObject([200, { id: first.id, batch, status: "ended", account_id: null, ended_at }]);
    expect(codeOf(await redeem(first.code))).toEqual([409, "voucher_not_redeemable"]);
    expect((await redeem(second.code)).json).toMatchObject({ amount_usd: 2.5, balance_usd: 2.5 });
    expect(codeOf(await post(`vouchers/${first.id}/end`))).toEqual([409, "not_possible"]);
    expect(await actionsOn(first.id)).toMatchObject([
      { action: "voucher.end", reason: "sent to the wrong address", before: { ended_at: null }, after: { ended_at } },
    ]);
  });

  test("409 not_possible for one that was redeemed, whose credit stays; 404 voucher_not_found for one that does not exist", async () => {
    const { vouchers } = await make();
    const account = await gateway.createAccount();
    await redeem(vouchers[0]!.code, account);
    const reply = await post(`vouchers/${vouchers[0]!.id}/end`);
    expect(codeOf(reply)).toEqual([409, "not_possible"]);
    expect(reply.json.error.message).toContain(`${account.id} redeemed it`);
    expect(await gateway.balance(account)).toMatchObject({ balance: 2.5 });
    expect(await actionsOn(vouchers[0]!.id)).toEqual([]);
    for (const id of [`vou_${"0".repeat(32)}`, "vou_1"])
      expect(codeOf(await post(`vouchers/${id}/end`))).toEqual([404, "voucher_not_found"]);
  });

  test("while it is redeemed: exactly one of the two happens, whichever comes first", async () => {
    const made = await make({ count: 8 });
    const accounts = await Promise.all(made.vouchers.map(() => gateway.createAccount()));
    const pairs = await Promise.all(
      made.vouchers.map(async ({ id, code }, n) => {
        const both =
          n % 2 === 0 ? [redeem(code, accounts[n]), post(`vouchers/${id}/end`)] : [post(`vouchers/${id}/end`), redeem(code, accounts[n])];
        const replies = await Promise.all(both);
        const [redeemed, ended] = n % 2 === 0 ? replies : replies.toReversed();
        return { id, redeemed: redeemed!, ended: ended!, account: accounts[n]! };
      }),
    );
    const statuses = await statusesOf(made);
    for (const { id, redeemed, ended, account } of pairs) {
      const won = redeemed.status === 200;
      expect(codeOf(won ? ended : redeemed)).toEqual([409, won ? "not_possible" : "voucher_not_redeemable"]);
      expect([redeemed, ended].filter(({ status }) => status === 200)).toHaveLength(1);
      expect(statuses.get(id)).toBe(won ? "redeemed" : "ended");
      expect(await gateway.balance(account)).toMatchObject({ balance: won ? 2.5 : 0 });
      expect(await actionsOn(id)).toHaveLength(won ? 0 : 1);
    }
  });
});

describe("POST /v1/operator/voucher-batches/{batch}/end", () => {
  test("ends what was not redeemed, with a row of the log; what was redeemed stays; a second time gives 409", async () => {
    const made = await make({ count: 3 });
    const [first, second, third] = made.vouchers.map(({ id }) => id);
    await redeem(made.vouchers[0]!.code);
    await post(`vouchers/${second}/end`);
    now += 1000;
    const { status, json } = await post(`voucher-batches/${made.batch}/end`);
    const ended_at = new Date(now).toISOString();
    expect([status, json]).toMatchObject([200, { batch: made.batch, count: 3, redeemed: 1, ended_at }]);
    expect(codeOf(await redeem(made.vouchers[2]!.code))).toEqual([409, "voucher_not_redeemable"]);
    expect(await statusesOf(made)).toEqual(
      new Map([
        [first, "redeemed"],
        [second, "ended"],
        [third, "ended"],
      ]),
    );
    expect((await get(`vouchers/${second}`)).json.ended_at).toBe(new Date(now - 1000).toISOString());
    expect((await get(`vouchers/${first}`)).json.ended_at).toBe(null);
    expect(codeOf(await post(`vouchers/${third}/end`))).toEqual([409, "not_possible"]);
    expect(codeOf(await post(`voucher-batches/${made.batch}/end`))).toEqual([409, "not_possible"]);
    expect(await actionsOn(`batch ${made.batch}`)).toMatchObject([
      { action: "voucher.end", before: { ended_at: null }, after: { ended_at } },
      { action: "voucher.create" },
    ]);
  });

  test("404 voucher_not_found for a batch that does not exist", async () => {
    for (const batch of ["999999999", "0", "x", "12345678901234567890"])
      expect(codeOf(await post(`voucher-batches/${batch}/end`))).toEqual([404, "voucher_not_found"]);
  });
});

test("support reads alone, finance and admin also change; to anyone else the paths do not exist", async () => {
  const made = await make({ count: 2 });
  const [first, second] = made.vouchers.map(({ id }) => id);
  const changes: [string, object][] = [
    ["vouchers", { amount_usd: 1 }],
    [`vouchers/${first}/end`, {}],
    [`voucher-batches/${made.batch}/end`, {}],
  ];
  const customer = await gateway.createAccount();
  const { token } = await gateway.createSession(customer);
  for (const [path, body] of changes) {
    expect(codeOf(await post(path, body, { key: support.key }))).toEqual([403, "permission_denied"]);
    expect(codeOf(await post(path, body, { key: token }))).toEqual([404, "endpoint_not_found"]);
  }
  for (const path of ["vouchers", `vouchers/${first}`]) {
    expect((await get(path, support.key)).status).toBe(200);
    expect(codeOf(await get(path, token))).toEqual([404, "endpoint_not_found"]);
  }
  expect([...(await statusesOf(made)).values()]).toEqual(["open", "open"]);
  const admin = await newOperator(gateway, "admin");
  expect((await post(`vouchers/${second}/end`, {}, { key: admin.key })).status).toBe(200);
});
