// GET /v1/credits/statements and /{month} over HTTP: sums that are the ledger's to the last unit, months that close once, three forms.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readMonths } from "../../../src/ledger/statements/read-months.ts";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import { pdfLines } from "../../support/pdf-lines.ts";
import { codeOf, type Person, startTeamGateway, type TeamGateway } from "../team/team-gateway.ts";

let now = Date.parse("2027-03-10T12:00:00Z");
let gateway: TeamGateway;
const env = { SVC_INVOICE_SELLER: "Acme AI GmbH | Straße (1) | VAT DE123456789" };
beforeAll(async () => void (gateway = await startTeamGateway({ catalog: smallCatalog, clock: () => new Date(now), env })));
afterAll(() => gateway.stop());

const path = "/v1/credits/statements";
const list = async (who: Person, query = "") => (await gateway.ask(who, "GET", `${path}${query}`)).json;
const get = (who: Person, month: string, accept?: string) =>
  gateway.request("GET", `${path}/${month}`, { key: who.session, ...(accept === undefined ? {} : { headers: { accept } }) });

/** In units of 1e-8 USD. */
const post = (accountId: bigint, kind: string, amount: bigint, at: string, id: string = randomUUID()) =>
  gateway.context.db.pool.query(
    "insert into ledger_entry (account_id, created_at, id, kind, amount, ref, reason) values ($1, $2, $3, $4, $5, 'test', null)",
    [accountId, at, id, kind, amount],
  );
const units = (usd: number) => BigInt(Math.round(usd * 1e8));
const parts = ["topups", "grants", "charges", "holds", "refunds", "adjustments", "payment_refunds"];
const movedIn = (month: Record<string, number>) => parts.reduce((sum, part) => sum + units(month[`${part}_usd`]!), 0n);

describe("GET /v1/credits/statements", () => {
  test("every month from the first entry to the current one, those without entries too; the newest first, in pages", async () => {
    const person = await gateway.person();
    await post(person.accountId, "deposit", 2_000_000_000n, "2026-11-05T00:00:00Z");
    await post(person.accountId, "usage", -5n, "2027-01-31T23:59:59Z");
    const { data, has_more } = await list(person);
    expect(has_more).toBe(false);
    expect(data.map(({ month, final, entries }: any) => [month, final, entries])).toEqual([
      ["2027-03", false, 0],
      ["2027-02", true, 0],
      ["2027-01", true, 1],
      ["2026-12", true, 0],
      ["2026-11", true, 1],
    ]);
    expect(data[4]).toMatchObject({ opening_balance_usd: 0, topups_usd: 20, closing_balance_usd: 20 });
    expect(data[2]).toMatchObject({ opening_balance_usd: 20, charges_usd: -0.00000005, closing_balance_usd: 19.99999995 });
    const page = await list(person, "?limit=2");
    expect([page.has_more, page.last_id]).toEqual([true, "2027-02"]);
    expect((await list(person, "?limit=3&after=2027-02")).data.map(({ month }: any) => month)).toEqual(["2027-01", "2026-12", "2026-11"]);
  });

  test("nothing for an account without entries", async () => {
    expect(await list(await gateway.person())).toEqual({ object: "list", data: [], has_more: false, last_id: null });
  });

  test("the sums are the ledger's, whatever was posted when: each kind by itself, each month after the one before it, up to the balance; also closed in pieces", async () => {
    const [person, twin] = [await gateway.person(), await gateway.person()];
    const { pool } = gateway.context.db;
    await post(person.accountId, "deposit", 10_000_000_000n, "2026-06-01T00:00:00Z");
    const kinds = ["deposit", "bonus", "usage", "refund", "adjustment", "earned_adjustment", "payment_refund", "dispute", "hold"];
    let state = 20_261_126;
    const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
    for (let n = 0; n < 120; n += 1) {
      const kind = kinds[random(kinds.length)]!;
      const amount = BigInt(1 + random(1_000_000)) * (["usage", "hold", "payment_refund"].includes(kind) ? -1n : 1n);
      // Mostly in order; some are posted late, by up to a day and over the end of a month.
      const at = new Date(Date.UTC(2026, 5, 1) + n * 2 * 86_400_000 - random(86_400_000)).toISOString();
      const id = randomUUID();
      await post(person.accountId, kind, amount, at, id);
      if (kind === "hold" && random(2) === 0) await post(person.accountId, "hold_settle", -amount, at, id);
    }
    await pool.query(
      `insert into ledger_entry (account_id, created_at, id, kind, amount, ref, reason)
       select $2, created_at, id, kind, amount, ref, reason from ledger_entry where account_id = $1 order by seq`,
      [person.accountId, twin.accountId],
    );
    // Fewer than a month has, and than all.
    await readMonths(gateway.context.db, twin.accountId, new Date(now), { atOnce: 4 });
    const listed = await list(person);
    const numbered = (await list(twin)).data.map((month: any) => ({
      ...month,
      number: month.number?.replace(`-${twin.accountId}-`, `-${person.accountId}-`) ?? null,
    }));
    expect(numbered).toEqual(listed.data);
    const closed = (await pool.query("select count(*)::int as months from closed_month where account_id = $1", [twin.accountId])).rows;
    expect(closed).toEqual([{ months: listed.data.filter(({ final }: any) => final).length }]);
    const months = listed.data.reverse() as Record<string, number>[];
    let opening = 0n;
    for (const month of months) {
      expect(units(month["opening_balance_usd"]!)).toBe(opening);
      expect(units(month["closing_balance_usd"]!)).toBe(opening + movedIn(month));
      opening = units(month["closing_balance_usd"]!);
    }
    const { rows } = await pool.query<Record<string, bigint>>(
      `select sum(amount)::bigint as total, count(*) as entries, (select available + reserved from balance where account_id = $1) as balance,
         sum(amount) filter (where kind = 'usage')::bigint as charges, sum(amount) filter (where kind = 'deposit')::bigint as topups
       from ledger_entry where account_id = $1`,
      [person.accountId],
    );
    expect(rows[0]).toMatchObject({ total: opening, balance: opening });
    const over = (field: string) => months.reduce((sum, month) => sum + units(month[field]!), 0n);
    expect([over("charges_usd"), over("topups_usd")]).toEqual([rows[0]!["charges"], rows[0]!["topups"]]);
    expect(months.reduce((sum, { entries }) => sum + entries!, 0)).toBe(Number(rows[0]!["entries"]));
  });

  test("a closed month never changes: what is posted later counts to the next one, also where many ask at once", async () => {
    const person = await gateway.person();
    now = Date.parse("2027-04-01T12:00:00Z"); // March is over, and not closed yet
    await post(person.accountId, "deposit", 500_000_000n, "2027-03-20T00:00:00Z");
    expect((await list(person)).data.map(({ month, final }: any) => [month, final])).toEqual([["2027-04", false], ["2027-03", false]]); // prettier-ignore
    await post(person.accountId, "usage", -1n, "2027-03-31T23:00:00Z");
    expect((await list(person)).data[1]).toMatchObject({ entries: 2, charges_usd: -0.00000001 });
    now = Date.parse("2027-04-02T00:00:01Z");
    const answers = await Promise.all(Array.from({ length: 8 }, () => list(person)));
    for (const { data } of answers) expect(data).toEqual(answers[0].data);
    const closed = answers[0].data[1];
    expect(closed).toMatchObject({ month: "2027-03", final: true, entries: 2 });
    await post(person.accountId, "usage", -7n, "2027-03-31T23:59:59Z");
    const [april, march] = (await list(person)).data;
    expect(march).toEqual(closed);
    expect(april).toMatchObject({ entries: 1, charges_usd: -0.00000007, opening_balance_usd: closed.closing_balance_usd });
    await expect(gateway.context.db.pool.query("update closed_month set topups = 0")).rejects.toThrow("a closed month is final");
  });

  test("403 permission_denied for a developer and a viewer; owner, admin and billing read it; 403 session_required with a key", async () => {
    const { workspace, owner, admin, billing, developer, viewer } = await gateway.team();
    for (const one of [path, `${path}/2027-01`]) {
      for (const who of [developer, viewer])
        expect(codeOf(await gateway.ask(who, "GET", one, { in: workspace }))).toEqual([403, "permission_denied"]);
      expect(codeOf(await gateway.request("GET", one, { key: owner.key }))).toEqual([403, "session_required"]);
    }
    for (const who of [owner, admin, billing]) expect((await gateway.ask(who, "GET", path, { in: workspace })).status).toBe(200);
  });

  test("400 invalid_parameter for what is no month", async () => {
    const person = await gateway.person();
    for (const query of ["?after=2027-13", "?after=x", "?limit=0", "?limit=121"])
      expect(codeOf(await gateway.ask(person, "GET", `${path}${query}`))).toEqual([400, "invalid_parameter"]);
    expect(codeOf(await get(person, "2027-00"))).toEqual([400, "invalid_parameter"]);
  });
});

describe("GET /v1/credits/statements/{month}", () => {
  /** Of 20 USD, with 3.80 of tax on top; with a tax id the tax is known. */
  async function topUp(accountId: bigint, at: string, taxId: string | null = null): Promise<void> {
    const id = randomUUID();
    const tax = taxId === null ? null : 380_000_000n;
    await gateway.context.db.pool.query(
      `insert into topup (id, account_id, amount, status, created_at, completed_at, payment_id, paid, tax, tax_id)
       values ($1, $2, 2000000000, 'succeeded', $3, $3, $4, 2380000000, $5, $6)`,
      [id, accountId, at, `pi_${id}`, tax, taxId],
    );
    await post(accountId, "deposit", 2_000_000_000n, at, id);
  }

  async function funded(): Promise<Person> {
    const person = await gateway.person();
    await topUp(person.accountId, "2027-01-05T10:00:00Z");
    await post(person.accountId, "deposit", 100_000_000n, "2027-01-06T10:00:00Z");
    await post(person.accountId, "usage", -12_345_678n, "2027-01-07T10:00:00Z");
    return person;
  }

  test("the sums with the payments: top-ups with the payment's number and what was paid, and what the operator added", async () => {
    const person = await funded();
    const { json, headers } = await get(person, "2027-01");
    expect(headers["vary"]).toMatch(/accept/i);
    expect(json).toMatchObject({ topups_usd: 21, charges_usd: -0.12345678, closing_balance_usd: 20.87654322, payments_truncated: false });
    expect(json.payments).toMatchObject([
      {
        entry: "led_1",
        topup: expect.stringMatching(/^top_/),
        payment_number: expect.stringMatching(/^pi_/),
        amount_usd: 20,
        paid_usd: 23.8,
      },
      { entry: "led_2", topup: null, payment_number: null, amount_usd: 1, paid_usd: 1, tax_usd: null, tax_country: null, tax_id: null },
    ]);
    const { payments: _payments, payments_truncated: _truncated, ...sums } = json;
    expect((await list(person)).data.find(({ month }: any) => month === "2027-01")).toEqual(sums);
  });

  test("as CSV: the lines add up from the opening to the closing balance", async () => {
    const person = await funded();
    const { text, headers } = await get(person, "2027-01", "text/csv");
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(headers["content-disposition"]).toBe('attachment; filename="statement-2027-01.csv"');
    const lines = text.trimEnd().split("\r\n").map((line) => line.split(",")); // prettier-ignore
    expect(lines[0]).toEqual([
      ...["month", "item", "at", "reference", "amount_usd", "paid_usd", "tax_usd", "tax_country", "tax_id", "number"],
    ]);
    const amounts = lines.slice(1).map((line) => units(Number(line[4])));
    expect(amounts.slice(0, -1).reduce((sum, amount) => sum + amount)).toBe(amounts.at(-1));
    expect(new Set(lines.slice(1).map((line) => line[9]))).toEqual(new Set([`INV-${person.accountId}-2027-01`]));
    expect(lines.map(([, item]) => item)).toEqual([
      ...["item", "opening_balance", "topup", "topup", "grants", "charges", "holds", "refunds", "adjustments", "payment_refunds"],
      "closing_balance",
    ]);
  });

  test("as PDF: the same bytes each time, with the amounts", async () => {
    const person = await funded();
    const read = () => gateway.request("GET", `${path}/2027-01`, { key: person.session, headers: { accept: "application/pdf" } });
    const [first, second] = [await read(), await read()];
    expect(first.headers["content-type"]).toBe("application/pdf");
    expect(first.text).toBe(second.text);
    for (const part of ["%PDF-1.4", `(Invoice INV-${person.accountId}-2027-01)`, "20.87654322", "-0.12345678", person.email, "%%EOF"]) expect(first.text).toContain(part); // prettier-ignore
  });

  test("the PDF of a closed month is an invoice: its number, who sells, who buys and their tax ids; that of an open one is a statement without a number", async () => {
    const { owner, workspace, accountId } = await gateway.team();
    const payments = { "2027-03-05": "FR1", "2027-03-06": "FR1", "2027-03-07": "DE2", "2027-04-01": "IT3" };
    for (const [day, taxId] of Object.entries(payments)) await topUp(accountId, `${day}T00:00:00Z`, taxId);
    const { name } = (await gateway.ask(owner, "GET", "/v1/workspaces")).json.data.find(({ id }: any) => id === workspace);
    /** Down to the amounts. */
    const head = async (month: string) => {
      const headers = { "x-workspace-id": workspace, accept: "application/pdf" };
      const { bytes } = await gateway.request("GET", `${path}/${month}`, { key: owner.session, headers });
      const lines = pdfLines(bytes).map((line) => line.trim());
      return lines.slice(0, lines.indexOf("USD"));
    };
    const { data } = (await gateway.ask(owner, "GET", `${path}?limit=2`, { in: workspace })).json;
    expect(data.map(({ month, number }: any) => [month, number])).toEqual([["2027-04", null], ["2027-03", `INV-${accountId}-2027-03`]]); // prettier-ignore
    const parties = ["", "Seller    Acme AI GmbH", String.raw`Straße \(1\)`, "VAT DE123456789", "", `Buyer     ${name}`, owner.email];
    expect(await head("2027-03")).toEqual([
      ...["Invoice and statement of account", ...parties, `acc_${accountId}`, "tax id FR1", "tax id DE2", ""],
      ...[`Number    INV-${accountId}-2027-03`, "Month     2027-03 \\(UTC\\)", "Entries   3", ""],
    ]);
    expect(await head("2027-04")).toEqual([
      ...["Statement of account", ...parties, `acc_${accountId}`, "tax id IT3", ""],
      ...["Month     2027-04 \\(UTC\\), not closed yet: it may change", "Entries   1", ""],
    ]);
  });

  test("404 statement_not_found: a month before the first entry, and one that has not begun", async () => {
    const person = await funded();
    for (const month of ["2026-12", "2027-12", "0001-01", "9999-12"])
      expect(codeOf(await get(person, month))).toEqual([404, "statement_not_found"]);
  });
});
