// A gateway, people with sessions, and workspaces with members of every role, for the tests of teams.
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Role } from "../../../src/accounts/caller.ts";
import { userIdText } from "../../../src/ids.ts";
import { type Gateway, startGateway, type TestAccount, type TestReply } from "../../support/gateway.ts";

export interface Person extends TestAccount {
  session: string;
  /** `usr_…` */
  userId: string;
}

export interface Team {
  /** `ws_…` */
  workspace: string;
  accountId: bigint;
  owner: Person;
  admin: Person;
  developer: Person;
  billing: Person;
  viewer: Person;
}

export interface TeamGateway extends Gateway {
  person(): Promise<Person>;
  /** A request with a session, in a workspace; without one in the person's own. */
  ask(who: Person, method: string, path: string, options?: { in?: string | undefined; body?: unknown }): Promise<TestReply>;
  createWorkspace(owner: Person): Promise<{ workspace: string; accountId: bigint }>;
  /** As accepting an invitation would. */
  join(accountId: bigint, person: Person, role: Role): Promise<void>;
  /** A workspace with a member of each role. */
  team(): Promise<Team>;
}

export async function startTeamGateway(options: Parameters<typeof startGateway>[0] = {}): Promise<TeamGateway> {
  const gateway = await startGateway(options);
  const { pool } = gateway.context.db;
  const person = async (): Promise<Person> => {
    const account = await gateway.createAccount();
    const { token } = await gateway.createSession(account);
    const { rows } = await pool.query<{ user_id: string }>("select user_id from account where id = $1", [account.accountId]);
    return { ...account, session: token, userId: userIdText(rows[0]!.user_id) };
  };
  const ask: TeamGateway["ask"] = (who, method, path, { in: workspace, body } = {}) =>
    gateway.request(method, path, {
      key: who.session,
      ...(workspace === undefined ? {} : { headers: { "x-workspace-id": workspace } }),
      ...(body === undefined ? {} : { body }),
    });
  const createWorkspace: TeamGateway["createWorkspace"] = async (owner) => {
    const { status, json } = await ask(owner, "POST", "/v1/workspaces", { body: { name: `Team ${randomUUID()}` } });
    expect(status).toBe(200);
    const { rows } = await pool.query<{ id: bigint }>("select id from account where workspace_name = $1", [json.name]);
    return { workspace: json.id, accountId: rows[0]!.id };
  };
  const join: TeamGateway["join"] = async (accountId, { accountId: personId }, role) => {
    await pool.query("insert into member (account_id, person_id, role, created_at) values ($1, $2, $3, now())", [
      accountId,
      personId,
      role,
    ]);
  };
  const team = async (): Promise<Team> => {
    const [owner, admin, developer, billing, viewer] = [await person(), await person(), await person(), await person(), await person()];
    const made = await createWorkspace(owner);
    const others = { admin, developer, billing, viewer };
    for (const [role, one] of Object.entries(others)) await join(made.accountId, one, role as Role);
    return { ...made, owner, ...others };
  };
  return { ...gateway, person, ask, createWorkspace, join, team };
}

export const codeOf = ({ status, json }: TestReply) => [status, json?.error?.code];
