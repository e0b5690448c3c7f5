// member.budget_reached over HTTP: when a member's budget causes a notice, who gets its mail, and what it says. Other notices: notices.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inTransaction } from "../../../src/db/connect.ts";
import { parseUsd } from "../../../src/money.ts";
import { atRest, look as lookAt } from "../../notices/causing.ts";
import { type Person, startTeamGateway, type Team, type TeamGateway } from "./team-gateway.ts";

let gateway: TeamGateway;
// After its first look the gateway looks no more while this runs: only the tests do.
beforeAll(async () => void (gateway = await startTeamGateway({ notices: { everyMs: 50, lookMs: 3_600_000 } })));
afterAll(() => gateway.stop());

const event = "member.budget_reached";
const look = (most?: number) => lookAt(gateway, most);
const limit = async ({ owner, workspace }: Team, member: Person, body: object) => {
  const reply = await gateway.ask(owner, "PATCH", `/v1/workspace/members/${member.userId}`, { in: workspace, body });
  expect(reply.status).toBe(200);
};
const choose = ({ owner, workspace }: Team, roles: string[]) =>
  gateway.ask(owner, "PATCH", "/v1/workspace/notices", { in: workspace, body: { mails: [{ event, roles }] } });
const keyBy = async (who: Person, { workspace }: Team): Promise<bigint> => {
  const { json } = await gateway.ask(who, "POST", "/v1/auth/keys", { in: workspace, body: { name: "k" } });
  return BigInt(json.id.slice("key_".length));
};
interface Turning {
  /** The period that ran is over before. */
  anew?: boolean;
  /** When the period ends that runs then. */
  ends?: Date;
}
/** As the ledger's functions move a key's budget. */
const spend = (keyId: bigint, usd: string, { anew, ends }: Turning = {}) =>
  inTransaction(gateway.context.db, async ({ pool }) => {
    const turn = (at: Date) =>
      pool.query("update member_budget m set period_ends = $2 from key_budget k where k.key_id = $1 and m.person_id = k.member_id", [
        keyId,
        at,
      ]);
    if (anew) await turn(new Date(0));
    await pool.query("select set_config('svc.moved', 'by the ledger', true)");
    await pool.query("update key_budget set spent = spent + $2 where key_id = $1", [keyId, parseUsd(usd)]);
    if (ends) await turn(ends);
  });
const told = async ({ owner, workspace }: Team): Promise<any[]> => {
  const { json } = await gateway.ask(owner, "GET", "/v1/workspace/notices/log", { in: workspace });
  return json.data.filter((notice: any) => notice.event === event).map(({ data }: any) => data);
};
/** The shares that were told of so far, the last one first. */
const shares = async (team: Team) => {
  await Promise.all([look(), look()]);
  return (await told(team)).map(({ percent }) => percent);
};
const mailed = async ({ workspace: _, accountId: __, ...people }: Team): Promise<string[]> => {
  await atRest(gateway);
  const to = gateway.mails.filter(({ subject }) => subject.startsWith("A member")).map((mail) => mail.to);
  return Object.entries(people).flatMap(([role, { email }]) => to.filter((one) => one === email).map(() => role));
};

describe("a budget for life", () => {
  test("at 50, 80 and 100 percent of what all keys of the member spend, once each; other members' keys don't count", async () => {
    const team = await gateway.team();
    const [first, second, other] = [await keyBy(team.developer, team), await keyBy(team.developer, team), await keyBy(team.admin, team)];
    await limit(team, team.developer, { limit_usd: 10 });
    await spend(other, "50");
    await spend(first, "4.99");
    expect(await shares(team)).toEqual([]);
    await spend(second, "0.01");
    expect(await shares(team)).toEqual([50]);
    await spend(first, "2.99");
    expect(await shares(team)).toEqual([50]);
    await spend(second, "0.5");
    expect(await shares(team)).toEqual([80, 50]);
    await spend(first, "3");
    expect(await shares(team)).toEqual([100, 80, 50]);
    expect(await shares(team)).toEqual([100, 80, 50]);
    const of = { member_id: team.developer.userId, limit_usd: 10, period_ends: null };
    expect(await told(team)).toEqual([
      { ...of, percent: 100, spent_usd: 11.49 },
      { ...of, percent: 80, spent_usd: 8.49 },
      { ...of, percent: 50, spent_usd: 5 },
    ]);
  });

  test("a raised limit begins anew, and one below what is spent is reached; without a limit nothing is told", async () => {
    const team = await gateway.team();
    const key = await keyBy(team.developer, team);
    await limit(team, team.developer, { limit_usd: 10 });
    await spend(key, "8");
    expect(await shares(team)).toEqual([80]);
    await limit(team, team.developer, { limit_usd: 40 });
    expect(await shares(team)).toEqual([80]);
    await spend(key, "12");
    expect(await shares(team)).toEqual([50, 80]);
    await limit(team, team.developer, { limit_usd: 20 });
    expect(await shares(team)).toEqual([100, 50, 80]);
    await limit(team, team.developer, { limit_usd: null });
    await spend(key, "100");
    expect(await shares(team)).toEqual([100, 50, 80]);
  });
});

test("a recurring budget once in each period; the highest share alone where several are passed at once; a period that is over has nothing spent", async () => {
  const team = await gateway.team();
  const key = await keyBy(team.developer, team);
  await limit(team, team.developer, { limit_usd: 10, limit_resets: "daily" });
  const [today, tomorrow] = [24, 48].map((hours) => new Date(Date.now() + hours * 3_600_000));
  await spend(key, "9", { ends: today! });
  expect(await shares(team)).toEqual([80]);
  expect(await shares(team)).toEqual([80]);
  await spend(key, "5", { anew: true, ends: tomorrow! });
  expect(await shares(team)).toEqual([50, 80]);
  await spend(key, "5", { ends: new Date(Date.now() - 1_000) });
  expect(await shares(team)).toEqual([50, 80]);
  expect((await told(team))[0]).toMatchObject({ spent_usd: 5, period_ends: `${tomorrow!.toISOString().slice(0, 19)}Z` });
  await mailed(team);
  expect(gateway.mails.findLast(({ to }) => to === team.developer.email)!.text).toContain("until it resets");
});

test("twenty looks at once, each in parts of one account, write one notice for each of several members", async () => {
  const [one, other] = [await gateway.team(), await gateway.team()];
  for (const [team, member] of [
    [one, one.developer],
    [one, one.admin],
    [one, one.owner],
    [other, other.admin],
  ] as const) {
    const key = await keyBy(member, team);
    await limit(team, member, { limit_usd: 10 });
    await spend(key, "6");
  }
  await Promise.all(Array.from({ length: 20 }, () => look(1)));
  const members = async (team: Team) => (await told(team)).map(({ member_id }) => member_id).sort();
  expect(await members(one)).toEqual([one.developer, one.admin, one.owner].map(({ userId }) => userId).sort());
  expect(await members(other)).toEqual([other.admin.userId]);
});

describe("the mail", () => {
  const reached = async (team: Team, member: Person) => {
    const key = await keyBy(member, team);
    await limit(team, member, { limit_usd: 10 });
    await spend(key, "10");
    await look();
  };

  test("goes once each to owners, admins and the member, and says whose keys have spent what", async () => {
    const team = await gateway.team();
    await reached(team, team.developer);
    expect(await mailed(team)).toEqual(["owner", "admin", "developer"]);
    const mail = gateway.mails.find(({ to }) => to === team.developer.email)!;
    expect(mail.subject).toBe("A member has used 100% of their budget");
    expect(mail.text).toContain(`The API keys that ${team.developer.email} created in the workspace`);
    for (const said of ["10.00 USD of 10.00 USD", "until an owner or admin raises it.", "/console/members"])
      expect(mail.text).toContain(said);
    await reached(team, team.admin);
    expect(await mailed(team)).toEqual(["owner", "owner", "admin", "admin", "developer"]);
  });

  test("goes to the roles that the workspace chose and the member; to nobody where it chose none", async () => {
    const [some, none] = [await gateway.team(), await gateway.team()];
    expect((await choose(some, ["billing"])).status).toBe(200);
    expect((await choose(none, [])).status).toBe(200);
    for (const team of [some, none]) await reached(team, team.developer);
    expect([await mailed(some), await mailed(none)]).toEqual([["developer", "billing"], []]);
    expect(await told(none)).toHaveLength(1);
  });

  test("names a member who has left, whose keys were kept, by id alone, and does not reach that person", async () => {
    const team = await gateway.team();
    const key = await keyBy(team.developer, team);
    await limit(team, team.developer, { limit_usd: 10 });
    await gateway.ask(team.owner, "DELETE", `/v1/workspace/members/${team.developer.userId}?keys=keep`, { in: team.workspace });
    await spend(key, "5");
    await look();
    expect(await mailed(team)).toEqual(["owner", "admin"]);
    const { text } = gateway.mails.findLast(({ to }) => to === team.owner.email)!;
    expect(text).toContain(team.developer.userId);
    expect(text).not.toContain(team.developer.email);
  });
});
