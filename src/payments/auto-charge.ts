// Charges saved cards where the balance is low. First the top-up and the charge are rows, then the provider is asked, outside of a transaction:
// whatever dies, the next look finds the charge, asks the provider what became of it, and only then charges, under the same idempotency key.
import { keepDoing } from "../concurrency/keep-doing.ts";
import type { Context } from "../context.ts";
import { inTransaction } from "../db/connect.ts";
import { topupIdText } from "../ids.ts";
import { beginCharge, type Charging, claimCharges, findDue, findForgotten, markForgotten } from "./auto-topup-rows.ts";
import { consentsFor } from "./auto-topup.ts";
import { settleCharge } from "./events.ts";
import type { CardCharges, ChargeOutcome } from "./types.ts";

const usualMs = 10_000;
/** A round. */
const accountsMax = 100;
const chargesMax = 5;
const forgottenMax = 5;
/** The provider knows an idempotency key for 24 hours: later the same charge could be made twice. */
const repeatableMs = 23 * 60 * 60_000;

type Parts = Pick<Context, "db" | "clock" | "log" | "payments"> & { onFault: (error: unknown, what: string) => void };

export function keepToppedUp({ everyMs = usualMs, ...parts }: Parts & { everyMs: number | undefined }): { stop(): Promise<void> } {
  if (parts.payments === null) return { stop: () => Promise.resolve() };
  return keepDoing(everyMs, async () => {
    if (parts.db.checks.refusal !== null) return;
    await topUpLowBalances(parts).catch((error: unknown) => parts.onFault(error, "topping up low balances"));
  });
}

/** One look, in any process at any time. */
export async function topUpLowBalances(parts: Parts): Promise<void> {
  const { db, clock, payments } = parts;
  if (payments === null) return;
  const { cards } = payments;
  const due = () => ({ at: clock(), consents: consentsFor(cards) });
  for (const accountId of await findDue(db, due(), accountsMax))
    await inTransaction(db, (transaction) => beginCharge(transaction, accountId, due()));
  const claim = () => claimCharges(db, due(), chargesMax);
  for (let claimed = await claim(); claimed.length > 0; claimed = await claim())
    await Promise.all(claimed.map((charging) => chargeOne(parts, cards, charging)));
  for (const { accountId, cardId } of await findForgotten(db, forgottenMax)) {
    try {
      await cards.forgetCard(cardId);
      await markForgotten(db, accountId, cardId);
    } catch (error) {
      parts.log.warn({ reason: (error as Error).message }, "the payment provider did not forget a card; it is asked again");
    }
  }
}

/** Without an outcome the charge is looked at again once its lease is over. */
async function chargeOne({ db, clock, log, onFault }: Parts, cards: CardCharges, charging: Charging & { first: boolean }): Promise<void> {
  const topup = topupIdText(charging.topupId);
  let outcome: ChargeOutcome;
  try {
    outcome = await askFor(cards, charging, clock());
  } catch (error) {
    log.error({ reason: (error as Error).message, topup }, "the payment provider did not say what became of an automatic charge");
    return;
  }
  if (outcome.failure !== null) log.warn({ failure: outcome.failure, topup }, "an automatic charge failed");
  if (outcome.outcome === "unpaid") return;
  await settleCharge(db, charging.topupId, { ...outcome, outcome: outcome.outcome }, clock()).catch((error: unknown) =>
    onFault(error, "crediting an automatic charge"),
  );
}

async function askFor(cards: CardCharges, charging: Charging & { first: boolean }, at: Date): Promise<ChargeOutcome> {
  const found = charging.first ? undefined : await cards.findCharge({ ...charging, since: charging.createdAt });
  if (found !== undefined) return found;
  const isRepeatable = at.getTime() - charging.createdAt.getTime() < repeatableMs;
  if (charging.isWanted && isRepeatable) return cards.charge(charging);
  return { outcome: "failed", paid: null, paymentId: null, failure: null };
}
