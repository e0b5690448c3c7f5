// `svc payment …`: the payment provider's events that could not be applied.
import { Refused } from "../accounts/admin.ts";
import { systemClock } from "../clock.ts";
import { accountIdText } from "../ids.ts";
import { dismissUnapplied, listUnapplied } from "../payments/event-rows.ts";
import { topupIdText } from "../payments/topup-id.ts";
import type { Input, Outcome } from "./command.ts";
import { withDatabase } from "./with-database.ts";

const listMax = 200;

export async function list({ config }: Input): Promise<Outcome> {
  return withDatabase(config, async (db) => {
    const found = await listUnapplied(db, listMax + 1);
    const data = found.slice(0, listMax).map((event) => ({
      ...{ event_id: event.id, type: event.type, about: event.about, amount: event.said },
      topup_id: event.topupId === null ? null : topupIdText(event.topupId),
      account_id: event.accountId === null ? null : accountIdText(event.accountId),
      ...{ reason: event.reason, times: event.times },
      first_at: event.firstAt.toISOString(),
      last_at: event.lastAt.toISOString(),
    }));
    const more = found.length > listMax;
    const lines = data.map(
      (one) => `${one.event_id} ${one.type} ${one.about} ${one.amount}, ${one.times} times until ${one.last_at}: ${one.reason}`,
    );
    const end = more ? ["older events follow"] : data.length === 0 ? ["every payment event was applied"] : [];
    return { json: { data, has_more: more }, text: [...lines, ...end].join("\n") };
  });
}

export async function dismiss({ config, words }: Input): Promise<Outcome> {
  const id = words[0]!;
  return withDatabase(config, async (db) => {
    if (!(await dismissUnapplied(db, id, systemClock()))) throw new Refused(`no such event waits: ${id}`);
    return { json: { event_id: id, dismissed: true }, text: `${id} is dismissed` };
  });
}
