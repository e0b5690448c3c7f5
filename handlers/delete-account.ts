// DELETE /v1/account: deletes the account of the person who is signed in.
import type { CallerSession } from "../src/accounts/caller.ts";
import { clearedSessionCookie } from "../src/accounts/tokens.ts";
import { toUsd } from "../src/money.ts";
import type { Handler } from "../src/operation.ts";
import { deleteAccount as remove } from "../src/sign-in/delete-account.ts";
import { accountDeletedMail } from "../src/sign-in/mails.ts";

export const deleteAccount: Handler<"deleteAccount"> = async (context, { caller, query, receivedAt: at }) => {
  const { personId, hash } = caller.session as CallerSession; // the contract accepts no API key here
  const { id, email, forfeited } = await remove(context, { personId, hash, forfeits: query.forfeit_balance === true, at });
  context.mailer.send(accountDeletedMail({ to: email, publicUrl: context.publicUrl }));
  return {
    status: 200,
    headers: { "set-cookie": clearedSessionCookie() },
    body: { id, deleted: true, forfeited_usd: toUsd(forfeited) },
  };
};
