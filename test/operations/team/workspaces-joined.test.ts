// How many workspaces a person may join: the bound holds where one is made and where an invitation is accepted, also for many at once.
import { afterAll, beforeAll, expect, test } from "vitest";
import { joinedMax } from "../../../src/accounts/members.ts";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import type { TestReply } from "../../support/gateway.ts";
import { tokenIn } from "../../support/sign-in.ts";
import { codeOf, type Person, startTeamGateway, type TeamGateway } from "./team-gateway.ts";

let gateway: TeamGateway;
beforeAll(async () => {
  gateway = await startTeamGateway({ catalog: smallCatalog });
});
afterAll(() => gateway.stop());

const create = (who: Person) => gateway.ask(who, "POST", "/v1/workspaces", { body: { name: "One more" } });
const accept = (who: Person, token: string) => gateway.ask(who, "POST", "/v1/invitations/accept", { body: { token } });
const leave = (who: Person, workspace: string) => gateway.ask(who, "POST", "/v1/workspace/leave", { in: workspace });
const joined = async (who: Person): Promise<any[]> =>
  (await gateway.ask(who, "GET", "/v1/workspaces")).json.data.filter(({ personal }: { personal: boolean }) => !personal);

/** A member of `count` workspaces of others. */
async function memberOf(count: number): Promise<Person> {
  const who = await gateway.person();
  await gateway.context.db.pool.query(
    `with made as (insert into account (email, workspace_name, created_at) select $3, 'Joined ' || n, now() from generate_series(1, $2::int) n returning id)
     insert into member (account_id, person_id, role, created_at) select id, $1::bigint, 'viewer', now() from made`,
    [who.accountId, count, who.email],
  );
  return who;
}

/** The token of an invitation to a workspace of its own. */
async function invitation(who: Person): Promise<{ workspace: string; token: string }> {
  const owner = await gateway.person();
  const { workspace } = await gateway.createWorkspace(owner);
  const body = { email: who.email, role: "developer" };
  expect((await gateway.ask(owner, "POST", "/v1/workspace/invitations", { in: workspace, body })).status).toBe(200);
  return { workspace, token: tokenIn(gateway.mails.findLast(({ to }) => to === who.email)!) };
}

function expectFull(reply: TestReply): void {
  expect(codeOf(reply)).toEqual([403, "permission_denied"]);
  expect(reply.json.error.message).toContain(`a person can join at most ${joinedMax} workspaces`);
}

test(`${joinedMax}: the last one may be made, then none is made or joined; an invitation waits until the person has left one`, async () => {
  const who = await memberOf(joinedMax - 1);
  const { workspace, token } = await invitation(who);
  const made = await create(who);
  expect(made.status).toBe(200);
  expectFull(await create(who));
  expectFull(await accept(who, token));
  const ids = (await joined(who)).map(({ id }) => id);
  expect([ids.length, ids.includes(made.json.id), ids.includes(workspace)]).toEqual([joinedMax, true, false]);
  expect(
    (
      await leave(
        who,
        ids.find((id) => id !== made.json.id),
      )
    ).status,
  ).toBe(200);
  expect((await accept(who, token)).json).toMatchObject({ id: workspace, role: "developer" });
  expectFull(await create(who));
});

test("room for one: of workspaces made and invitations accepted at once, exactly one", async () => {
  const who = await memberOf(joinedMax - 1);
  const tokens: string[] = [];
  for (let n = 0; n < 3; n++) tokens.push((await invitation(who)).token);
  const replies = await Promise.all([...tokens.map((token) => accept(who, token)), create(who), create(who), create(who)]);
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  replies.filter(({ status }) => status !== 200).forEach(expectFull);
  expect(await joined(who)).toHaveLength(joinedMax);
});
