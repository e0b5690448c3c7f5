// Sends a delivery by mail: its text is made when it is sent, from what the notice says.
import type { Queries } from "../db/connect.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { Claimed, Outcome } from "./deliver.ts";
import { noticeMail } from "./texts.ts";

interface Mailing {
  db: Queries;
  mailer: Mailer;
  publicUrl: () => string;
}

export async function sendByMail({ db, mailer, publicUrl }: Mailing, delivery: Claimed): Promise<Outcome> {
  const { accountId, id, event, data, address: to } = delivery;
  if (to === null) throw new Error("a delivery without an address is no mail");
  const workspace = await nameOf(db, accountId);
  const base = publicUrl();
  const mail = noticeMail({ to, workspace, publicUrl: base }, event, data as never);
  const host = URL.parse(base)?.hostname ?? "localhost";
  const outcome = await mailer.attempt({ ...mail, messageId: `${id}@${host}` });
  return outcome.sent ? outcome : { sent: false, final: outcome.final, code: outcome.code, response: outcome.reason };
}

async function nameOf({ pool }: Queries, accountId: bigint): Promise<string> {
  const sql = "select coalesce(workspace_name, name, email) as name from account where id = $1";
  return (await pool.query<{ name: string }>(sql, [accountId])).rows[0]!.name;
}
