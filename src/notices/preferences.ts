// What a workspace chose about its notices: which roles get which mail, and from which balance on credit is low.
import type { components } from "../../generated/api.d.ts";
import { lockAccountRow } from "../accounts/users.ts";
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { failParameter } from "../errors/fail.ts";
import { type Amount, amountFromUsd, toUsd } from "../money.ts";
import { type ChosenEvent, chosenEvents, chosenNames, type ToldRole } from "./events.ts";

export type NoticeSettings = components["schemas"]["NoticeSettings"];
export type NoticeChange = components["schemas"]["NoticeSettingsChange"];

/** 5 USD: below it a workspace that chose nothing is told. */
export const lowBalance: Amount = 500_000_000n;

interface Preferences {
  lowBalance: Amount | null;
  mails: Partial<Record<ChosenEvent, ToldRole[]>>;
}

export async function readPreferences({ pool }: Queries, accountId: bigint): Promise<Preferences> {
  const sql = `select low_balance as "lowBalance", mails from notice_preference where account_id = $1`;
  return (await pool.query<Preferences>(sql, [accountId])).rows[0] ?? { lowBalance, mails: {} };
}

export function toldRoles({ mails }: Pick<Preferences, "mails">, event: ChosenEvent): readonly ToldRole[] {
  return mails[event] ?? chosenEvents[event];
}

export function noticeSettings(preferences: Preferences): NoticeSettings {
  return {
    object: "workspace.notices",
    low_balance_usd: preferences.lowBalance === null ? null : toUsd(preferences.lowBalance),
    mails: chosenNames.map((event) => ({ event, roles: [...toldRoles(preferences, event)] })),
  };
}

/** Events that the change does not name stay as they are. */
export async function changePreferences(db: Db, accountId: bigint, change: NoticeChange): Promise<Preferences> {
  const asked = readThreshold(change.low_balance_usd);
  const mails = readMails(change.mails ?? []);
  return inTransaction(db, async (transaction) => {
    await lockAccountRow(transaction, accountId); // two changes at once must not undo each other
    const before = await readPreferences(transaction, accountId);
    const after = { lowBalance: asked === undefined ? before.lowBalance : asked, mails: { ...before.mails, ...mails } };
    await transaction.pool.query(
      `insert into notice_preference (account_id, low_balance, mails) values ($1, $2, $3)
       on conflict (account_id) do update set low_balance = excluded.low_balance, mails = excluded.mails`,
      [accountId, after.lowBalance, JSON.stringify(after.mails)],
    );
    return after;
  });
}

function readThreshold(usd: number | null | undefined): Amount | null | undefined {
  if (usd == null) return usd;
  return amountFromUsd(usd) ?? failParameter("low_balance_usd", "it may have 8 decimals at most");
}

function readMails(sent: NonNullable<NoticeChange["mails"]>): Preferences["mails"] {
  const mails: Preferences["mails"] = {};
  sent.forEach(({ event, roles }, index) => {
    if (mails[event] !== undefined) failParameter(`mails[${index}].event`, "each event may stand once");
    mails[event] = [...new Set(roles)];
  });
  return mails;
}
