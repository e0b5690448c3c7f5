// Makes an account an operator's, as `svc operator add` does.
import type { OperatorRole } from "../../src/accounts/operators.ts";
import type { Gateway, TestAccount } from "./gateway.ts";

export async function makeOperator({ context }: Gateway, { accountId }: Pick<TestAccount, "accountId">, role: OperatorRole): Promise<void> {
  await context.db.pool.query(
    `insert into operator (account_id, role, added_by, added_at) values ($1, $2, 'test', now())
     on conflict (account_id) do update set role = excluded.role`,
    [accountId, role],
  );
}

/** A new operator's session token. */
export async function newOperator(gateway: Gateway, role: OperatorRole): Promise<{ account: TestAccount; key: string }> {
  const account = await gateway.createAccount();
  await makeOperator(gateway, account, role);
  return { account, key: (await gateway.createSession(account)).token };
}
