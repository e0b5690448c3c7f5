// GET /v1/credits/grants over HTTP: what is left of credit that expires, in pages.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inTransaction } from "../../../src/db/connect.ts";
import { postGrant } from "../../../src/ledger/grants.ts";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import { codeOf, type Person, startTeamGateway, type TeamGateway } from "../team/team-gateway.ts";

let gateway: TeamGateway;
beforeAll(async () => void (gateway = await startTeamGateway({ catalog: smallCatalog })));
afterAll(() => gateway.stop());

const list = (who: Person, query = "") => gateway.ask(who, "GET", `/v1/credits/grants${query}`);
const grant = ({ accountId }: Person, amount: bigint) =>
  inTransaction(gateway.context.db, (transaction) =>
    postGrant(transaction, {
      accountId,
      id: randomUUID(),
      amount,
      ref: "test",
      at: new Date(),
      expiresAt: new Date("2036-01-01T00:00:00Z"),
    }),
  );

test("each grant with what charges spent of it and what is left, the newest first, in pages, with a key as well", async () => {
  const person = await gateway.person();
  await grant(person, 100_000_000n);
  await grant(person, 200_000_000n);
  await gateway.context.db.pool.query(
    "insert into ledger_entry (account_id, created_at, id, kind, amount, ref) values ($1, now(), $2, 'usage', -250000000, 'test')",
    [person.accountId, randomUUID()],
  );
  const { json } = await list(person);
  const left = json.data.map(({ remaining_usd }: any) => remaining_usd).sort();
  expect(left).toEqual([0, 0.5].sort());
  expect(json.data.map(({ id }: any) => id)).toEqual(["led_2", "led_1"]);
  expect(json.data[0]).toMatchObject({ object: "credit.grant", amount_usd: 2, expires_at: "2036-01-01T00:00:00.000Z", ended_at: null });
  const page = (await list(person, "?limit=1")).json;
  expect(page).toMatchObject({ has_more: true, last_id: "led_2" });
  expect((await list(person, `?limit=1&after=${page.last_id}`)).json).toMatchObject({ has_more: false, last_id: "led_1" });
  expect((await gateway.request("GET", "/v1/credits/grants", { key: person.key })).json).toEqual(json);
});

test("400 invalid_parameter: a page can't follow an entry that the ledger does not have", async () => {
  const person = await gateway.person();
  for (const after of ["led_1", "led_0", "x"]) expect(codeOf(await list(person, `?after=${after}`))).toEqual([400, "invalid_parameter"]);
});
