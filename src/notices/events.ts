// The events that a workspace is told of: what each says, who is told where the workspace chose nothing, and what it chose: which roles get
// which mail, and from which balance on credit is low.
import type { components } from "../../generated/api.d.ts";
import type { Role } from "../accounts/caller.ts";
import { type Actor, lockAsManager } from "../accounts/members.ts";
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { failParameter } from "../errors/fail.ts";
import { type Amount, amountFromUsd, toUsd } from "../money.ts";

/** What the mails and the webhooks of each event say; money is USD, as in answers. */
export interface EventData {
  "balance.low": { balance_usd: number; threshold_usd: number };
  "key.budget_reached": {
    key_id: string;
    key_name: string;
    percent: number;
    spent_usd: number;
    limit_usd: number;
    /** Null: a budget of the key's life. */
    period_ends: string | null;
  };
  "key.expiring": { key_id: string; key_name: string; expires_at: string };
  "member.budget_reached": { member_id: string; percent: number; spent_usd: number; limit_usd: number; period_ends: string | null };
  /** `auto_topup_off`: the charge of a saved card failed, for this reason, and automatic top-ups were turned off. */
  "payment.failed": { topup_id: string; amount_usd: number; auto_topup_off?: "declined" | "authentication_required" };
  "payment.disputed": { topup_id: string; amount_usd: number; disputed_usd: number };
  "recovery_code.used": { used_at: string; left: number };
  "sign_in.new_place": { network: string; signed_in_at: string };
  "totp.ended": { ended_at: string };
  "webhook.disabled": { endpoint_id: string; url: string; failing_since: string };
}

export type EventName = keyof EventData;

/** Events whose recipients a workspace chooses. A person is told of the own sign-ins and second factor, and no one else is. */
type ChosenEvent = components["schemas"]["MailedEvent"];
type ToldRole = components["schemas"]["NoticeRole"];

const chosenEvents = {
  "balance.low": ["owner", "billing"],
  "key.budget_reached": ["owner", "admin"],
  "key.expiring": ["owner", "admin"],
  "member.budget_reached": ["owner", "admin"],
  "payment.failed": ["owner", "billing"],
  "payment.disputed": ["owner", "billing"],
  "webhook.disabled": ["owner", "admin"],
} as const satisfies Record<ChosenEvent, readonly (ToldRole & Role)[]>;

const chosenNames = Object.keys(chosenEvents) as ChosenEvent[];

export function isChosen(event: string): event is ChosenEvent {
  return Object.hasOwn(chosenEvents, event);
}

type NoticeSettings = components["schemas"]["NoticeSettings"];
type NoticeChange = components["schemas"]["NoticeSettingsChange"];

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
export async function changePreferences(db: Db, actor: Actor, change: NoticeChange): Promise<Preferences> {
  const asked = readThreshold(change.low_balance_usd);
  const mails = readMails(change.mails ?? []);
  return inTransaction(db, async (transaction) => {
    await lockAsManager(transaction, actor); // nor do two changes at once undo each other
    const { accountId } = actor;
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
