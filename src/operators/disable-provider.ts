// Takes a provider or a route out of use for a while, and uses it again: each a row of the log of actions.
import type { Context } from "../context.ts";
import { failParameter } from "../errors/fail.ts";
import { type Actor, recorded } from "./action-log.ts";
import { type DisabledRow, takeDisabled, writeDisabled } from "./disabled-routes.ts";
import { assertRoute, disabledRecord } from "./providers.ts";
import { readTime } from "./requests.ts";

type Needs = Pick<Context, "db" | "clock" | "catalog">;

interface Named {
  provider: string;
  /** The provider's id of the model; null: all its routes. */
  model: string | null;
  reason: string;
}

export async function disableProvider({ db, clock, catalog }: Needs, actor: Actor, asked: Named & { until: Date }): Promise<void> {
  const { provider, model, until, reason } = asked;
  assertRoute(catalog, provider, model);
  const at = clock();
  const row = { provider, model: model ?? "", until, reason, disabledBy: actor.who, disabledAt: at };
  await recorded(db, actor, at, async (transaction) => {
    const before = await writeDisabled(transaction, row);
    return { result: undefined, row: actionOn(asked, "provider.disable", before, row) };
  });
}

export async function enableProvider({ db, clock, catalog }: Needs, actor: Actor, asked: Named): Promise<void> {
  const { provider, model } = asked;
  assertRoute(catalog, provider, model);
  const at = clock();
  await recorded(db, actor, at, async (transaction) => {
    const before = await takeDisabled(transaction, { provider, model: model ?? "" }, at);
    // What is in use already stays so, and is no action.
    return { result: undefined, row: before === null ? null : actionOn(asked, "provider.enable", before, null) };
  });
}

function actionOn({ provider, model, reason }: Named, action: string, before: DisabledRow | null, after: DisabledRow | null) {
  const target = model === null ? provider : `${provider}/${model}`;
  const shown = (row: DisabledRow | null) => ({ disabled: row === null ? null : disabledRecord(row) });
  return { action, target, reason, before: shown(before), after: shown(after) };
}

const minutesDefault = 10;
const daysMax = 30;

/** The end of the while that a request names. */
export function readUntil({ minutes, until }: { minutes?: number; until?: string }, now: Date): Date {
  if (minutes !== undefined && until !== undefined) failParameter("until", "send either it or `minutes`");
  const end = readTime("until", until) ?? new Date(now.getTime() + (minutes ?? minutesDefault) * 60_000);
  if (end <= now) failParameter("until", "it must be in the future");
  if (end.getTime() - now.getTime() > daysMax * 24 * 60 * 60_000) failParameter("until", `it must be at most ${daysMax} days ahead`);
  return end;
}
