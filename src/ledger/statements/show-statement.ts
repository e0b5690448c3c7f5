// A month's statement as answers show it: a record, rows of CSV, or a page. Amounts are exact in each; in all of them the opening balance and
// every line after it add up to the closing balance. A closed month has a number, and is an invoice where the operator says who sells.
import type { components } from "../../../generated/api.d.ts";
import { accountIdText, topupIdText } from "../../ids.ts";
import { type Amount, toUsd, usdText } from "../../money.ts";
import { csvText } from "../../text/export.ts";
import { type PdfLine, pdfOf } from "../../text/pdf.ts";
import { entryId } from "../entries.ts";
import { type Month, type MonthPayment, movedIn } from "./read-months.ts";

type StatementRecord = components["schemas"]["Statement"];
type PaymentRecord = components["schemas"]["StatementPayment"];

/** The same each time, and of no other account or month; null: the month may change, and what has a number must not. */
function numberOf(accountId: bigint, { month, final }: Month): string | null {
  return final ? `INV-${accountId}-${month}` : null;
}

export function statementRecord(accountId: bigint, month: Month): StatementRecord {
  return {
    object: "statement",
    month: month.month,
    final: month.final,
    number: numberOf(accountId, month),
    entries: Number(month.entries),
    opening_balance_usd: toUsd(month.opening),
    topups_usd: toUsd(month.topups),
    grants_usd: toUsd(month.grants),
    charges_usd: toUsd(month.charges),
    holds_usd: toUsd(month.holds),
    refunds_usd: toUsd(month.refunds),
    adjustments_usd: toUsd(month.adjustments),
    payment_refunds_usd: toUsd(month.paymentRefunds),
    closing_balance_usd: toUsd(month.closing),
  };
}

export function paymentRecord({ seq, amount, at, topupId, paymentId, paid, tax, taxCountry, taxId }: MonthPayment): PaymentRecord {
  return {
    entry: entryId(seq),
    topup: topupId === null ? null : topupIdText(topupId),
    payment_number: paymentId,
    amount_usd: toUsd(amount),
    paid_usd: toUsd(paid ?? amount),
    ...{ tax_usd: tax === null ? null : toUsd(tax), tax_country: taxCountry, tax_id: taxId },
    created_at: at.toISOString(),
  };
}

interface Line {
  item: string;
  title: string;
  at: string;
  reference: string;
  amount: Amount;
  /** Of a payment. */
  payment?: Pick<MonthPayment, "paid" | "tax" | "taxCountry" | "taxId">;
}

function linesOf(month: Month, payments: readonly MonthPayment[]): Line[] {
  const total = (item: string, title: string, amount: Amount): Line => ({ item, title, at: "", reference: "", amount });
  const listed = payments.map((payment) => ({
    ...total("topup", "Top-up", payment.amount),
    ...{ at: payment.at.toISOString(), reference: payment.paymentId ?? payment.ref, payment },
  }));
  const others = month.topups - payments.reduce((sum, { amount }) => sum + amount, 0n);
  return [
    total("opening_balance", "Opening balance", month.opening),
    ...listed,
    ...(others === 0n ? [] : [total("topups_not_listed", "Top-ups not listed", others)]),
    total("grants", "Granted credit", month.grants),
    total("charges", "Charges", month.charges),
    total("holds", "Holds of media jobs", month.holds),
    total("refunds", "Refunds of charges", month.refunds),
    total("adjustments", "Adjustments", month.adjustments),
    total("payment_refunds", "Payments given back", month.paymentRefunds),
    total("closing_balance", "Closing balance", month.opening + movedIn(month)),
  ];
}

export function statementCsv(accountId: bigint, month: Month, payments: readonly MonthPayment[]): string {
  const rows = linesOf(month, payments).map(({ item, at, reference, amount, payment }) => [
    ...[month.month, item, at, reference, usdText(amount)],
    ...(payment === undefined ? ["", ""] : [usdText(payment.paid ?? amount), payment.tax === null ? "" : usdText(payment.tax)]),
    ...[payment?.taxCountry ?? "", payment?.taxId ?? "", numberOf(accountId, month)],
  ]);
  const names = ["month", "item", "at", "reference", "amount_usd", "paid_usd", "tax_usd", "tax_country", "tax_id", "number"];
  return csvText([names, ...rows]);
}

/** Under a payment with tax, or with more to say of it than its amount. */
function taxText({ amount, payment }: Line): string[] {
  if (payment === undefined || payment.tax === null) return [];
  const { paid, tax, taxCountry, taxId } = payment;
  const payer = [taxCountry, taxId === null ? null : `tax id ${taxId}`].filter((part) => part !== null);
  return [[`  paid ${usdText(paid ?? amount)}, of it tax ${usdText(tax)}`, ...payer].join(", ").slice(0, lineWidth)];
}

/** Columns of a line in characters: a page has 84. */
const [titleWidth, dayWidth, referenceWidth, amountWidth] = [24, 12, 30, 18];
const lineWidth = 84;

const labelWidth = 10;

/** A label with lines beside it; one that is too long goes on below. */
function labelled(label: string, lines: readonly string[]): PdfLine[] {
  const pieces = lines.flatMap((line) => line.match(new RegExp(`.{1,${lineWidth - labelWidth}}`, "gsu")) ?? []);
  return pieces.map((piece, index) => ({ text: (index === 0 ? label : "").padEnd(labelWidth) + piece }));
}

export interface Parties {
  /** The operator; each may be unknown. */
  service: string | null;
  seller: readonly string[] | null;
  /** Who pays. */
  account: { id: bigint; name: string; email: string };
}

/** The same bytes for the same statement. */
export function statementPdf(month: Month, payments: readonly MonthPayment[], { service, seller, account }: Parties): Buffer {
  const number = numberOf(account.id, month);
  const isInvoice = number !== null && seller !== null;
  const taxIds = [...new Set(payments.flatMap(({ taxId }) => taxId ?? []))];
  const buyer = [...new Set([account.name, account.email]), accountIdText(account.id)];
  const lines: PdfLine[] = [
    ...(service === null ? [] : [{ text: service, bold: true }]),
    { text: isInvoice ? "Invoice and statement of account" : "Statement of account", bold: true },
    { text: "" },
    ...(seller === null ? [] : [...labelled("Seller", seller), { text: "" }]),
    ...labelled(seller === null ? "Account" : "Buyer", [...buyer, ...taxIds.map((taxId) => `tax id ${taxId}`)]),
    { text: "" },
    ...labelled("Number", number === null ? [] : [number]),
    ...labelled("Month", [`${month.month} (UTC)${month.final ? "" : ", not closed yet: it may change"}`]),
    ...labelled("Entries", [String(month.entries)]),
    { text: "" },
    { text: `${"".padEnd(titleWidth + dayWidth + referenceWidth)}${"USD".padStart(amountWidth)}`, bold: true },
    ...linesOf(month, payments).flatMap((line) => [
      { text: lineText(line), bold: line.item.endsWith("_balance") },
      ...taxText(line).map((below) => ({ text: below })),
    ]),
  ];
  return pdfOf(isInvoice ? `Invoice ${number}` : `Statement ${month.month}`, lines);
}

function lineText({ title, at, reference, amount }: Line): string {
  return (
    title.padEnd(titleWidth) +
    at.slice(0, 10).padEnd(dayWidth) +
    reference.slice(0, referenceWidth - 1).padEnd(referenceWidth) +
    usdText(amount).padStart(amountWidth)
  );
}
