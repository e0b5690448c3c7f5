// The events that a workspace is told of: what each says, and who is told where the workspace chose nothing.
import type { components } from "../../generated/api.d.ts";
import type { Role } from "../accounts/roles.ts";

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
  /** `auto_topup_off`: the charge of a saved card failed, for this reason, and automatic top-ups were turned off. */
  "payment.failed": { topup_id: string; amount_usd: number; auto_topup_off?: "declined" | "authentication_required" };
  "payment.disputed": { topup_id: string; amount_usd: number; disputed_usd: number };
  "sign_in.new_place": { network: string; signed_in_at: string };
  "webhook.disabled": { endpoint_id: string; url: string; failing_since: string };
}

export type EventName = keyof EventData;

/** Events whose recipients a workspace chooses. A person is told of the own sign-ins, and no one else is. */
export type ChosenEvent = components["schemas"]["MailedEvent"];
export type ToldRole = components["schemas"]["NoticeRole"];

export const chosenEvents = {
  "balance.low": ["owner", "billing"],
  "key.budget_reached": ["owner", "admin"],
  "key.expiring": ["owner", "admin"],
  "payment.failed": ["owner", "billing"],
  "payment.disputed": ["owner", "billing"],
  "webhook.disabled": ["owner", "admin"],
} as const satisfies Record<ChosenEvent, readonly (ToldRole & Role)[]>;

export const chosenNames = Object.keys(chosenEvents) as ChosenEvent[];

export function isChosen(event: string): event is ChosenEvent {
  return Object.hasOwn(chosenEvents, event);
}
