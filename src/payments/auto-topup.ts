// Automatic top-ups as a workspace sets them: the amounts, the consent and the saved card. The charges are in auto-charge.ts.
import { randomUUID } from "node:crypto";
import type { components } from "../../generated/api.d.ts";
import { type Actor, lockAsPayer } from "../accounts/members.ts";
import { findUser } from "../accounts/users.ts";
import type { Context } from "../context.ts";
import { inTransaction } from "../db/connect.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { userIdText } from "../ids.ts";
import { toUsd } from "../money.ts";
import { creditsPage } from "../network/own-addresses.ts";
import { type AutoTopupRow, chosenBefore, dropCard, lockAutoTopup, readAutoTopup, setChosen } from "./auto-topup-rows.ts";
import type { CardCharges } from "./types.ts";
import { assertAddress, failPayment, onlinePayments, pageLifeMs, topupsPerMinute, wholeCents } from "./topups.ts";

type AutoTopup = components["schemas"]["AutoTopup"];
type AutoTopupChange = components["schemas"]["AutoTopupChange"];

/** With another text, another version: a consent is to one text. */
const untaxedTerms = {
  version: "2026-11-26",
  text:
    "I agree that the saved card is charged the amount of a top-up, without me being asked each time, whenever the balance of this workspace is below " +
    "the threshold, and no more than the monthly cap in a calendar month (UTC), until automatic top-ups are turned off or the card is removed.",
};
const taxedTerms = {
  version: "2026-11-28-tax",
  text:
    "I agree that the saved card is charged the amount of a top-up and the tax on it, without me being asked each time, whenever the balance of this " +
    "workspace is below the threshold, and no more than the monthly cap, to which tax is added, in a calendar month (UTC), until automatic top-ups are " +
    "turned off or the card is removed.",
};

const termsFor = (cards: CardCharges | undefined) => (cards?.isTaxed === true ? taxedTerms : untaxedTerms);

/** Versions of the terms that allow a charge: who agreed to tax agreed to less. */
export function consentsFor({ isTaxed }: CardCharges): string[] {
  return isTaxed ? [taxedTerms.version] : [untaxedTerms.version, taxedTerms.version];
}

export async function showAutoTopup({ db, payments }: Pick<Context, "db" | "payments">, accountId: bigint, at: Date): Promise<AutoTopup> {
  const row = await readAutoTopup(db, accountId, at);
  const { threshold, amount, monthlyCap } = row ?? chosenBefore;
  return {
    object: "auto_topup",
    available: payments !== null,
    enabled: isOn(row, payments),
    threshold_usd: toUsd(threshold),
    amount_usd: toUsd(amount),
    monthly_cap_usd: toUsd(monthlyCap),
    month_used_usd: toUsd(row?.used ?? 0n),
    card: row?.card ?? null,
    terms: termsFor(payments?.cards),
    consent: consentOf(row),
    last_failure: row?.lastFailure ?? null,
    retry_at: row?.retryAt?.toISOString() ?? null,
  };
}

/** What was turned on under terms that don't allow a charge any more is off until it is agreed to anew. */
function isOn(row: AutoTopupRow | undefined, payments: Context["payments"]): boolean {
  if (row?.enabled !== true) return false;
  return payments === null || (row.consentVersion !== null && consentsFor(payments.cards).includes(row.consentVersion));
}

function consentOf(row: AutoTopupRow | undefined): AutoTopup["consent"] {
  if (row === undefined || row.consentVersion === null || row.consentAt === null || row.consentBy === null) return null;
  return { version: row.consentVersion, at: row.consentAt.toISOString(), by: userIdText(row.consentBy) };
}

interface Changing extends Actor {
  change: AutoTopupChange;
  at: Date;
}

export async function changeAutoTopup(
  { db, payments }: Pick<Context, "db" | "payments">,
  { accountId, personId, change, at }: Changing,
): Promise<void> {
  const asked = {
    threshold: change.threshold_usd === undefined ? undefined : wholeCents("threshold_usd", change.threshold_usd),
    amount: change.amount_usd === undefined ? undefined : wholeCents("amount_usd", change.amount_usd),
    monthlyCap: change.monthly_cap_usd === undefined ? undefined : wholeCents("monthly_cap_usd", change.monthly_cap_usd),
  };
  await inTransaction(db, async (transaction) => {
    await lockAsPayer(transaction, { accountId, personId });
    await lockAutoTopup(transaction, accountId);
    const before = (await readAutoTopup(transaction, accountId, at))!;
    const { version } = termsFor(payments?.cards);
    const enabled = change.enabled ?? isOn(before, payments);
    const amount = asked.amount ?? before.amount;
    const monthlyCap = asked.monthlyCap ?? before.monthlyCap;
    if (monthlyCap < amount) failParameter("monthly_cap_usd", "it must not be less than amount_usd");
    if (enabled && change.consent_version !== version)
      failParameter(
        "consent_version",
        "automatic top-ups need the consent to the terms in force: the version that GET /v1/credits/auto-topup shows",
      );
    if (enabled && before.card === null) fail("card_missing");
    const consent = enabled ? { version, at, by: personId } : null;
    await setChosen(transaction, { accountId, enabled, threshold: asked.threshold ?? before.threshold, amount, monthlyCap, consent });
  });
}

interface Starting {
  accountId: bigint;
  returnUrl: string | undefined;
  at: Date;
}

export async function startCardSetup(context: Context, { accountId, returnUrl, at }: Starting): Promise<{ url: string; expiresAt: Date }> {
  const { db, limits, publicUrl, log } = context;
  assertAddress(returnUrl);
  const user = await findUser(db, accountId);
  if (user?.verified !== true) fail("email_unverified");
  await limits.assertWithin({ accountId, bucket: "top-up" }, topupsPerMinute);
  const payments = onlinePayments(context);
  const expiresAt = new Date(at.getTime() + pageLifeMs);
  const customerId = (await readAutoTopup(db, accountId, at))?.customerId ?? null;
  const page = { returnUrl: returnUrl ?? creditsPage(publicUrl), expiresAt, idempotencyKey: randomUUID() };
  const order = { accountId, owner: user.id, customerId, ...page };
  try {
    return { url: (await payments.cards.openPage(order)).url, expiresAt };
  } catch (error) {
    log.error({ reason: (error as Error).message }, "the payment provider did not open a page for a card");
    return failPayment(context, "the payment provider refused or did not answer");
  }
}

/** The provider forgets it soon after: the worker sees to that, however often it takes. */
export async function removeCard({ db }: Pick<Context, "db">, actor: Actor): Promise<void> {
  await inTransaction(db, async (transaction) => {
    await lockAsPayer(transaction, actor);
    await dropCard(transaction, actor.accountId);
  });
}
