// GET /v1/credits/statements/{month}: one month, as JSON, CSV or PDF.
import type { CallerSession } from "../src/accounts/caller.ts";
import { findUser } from "../src/accounts/users.ts";
import { fail } from "../src/errors/fail.ts";
import { readMonths, readPayments } from "../src/ledger/statements/read-months.ts";
import { paymentRecord, statementCsv, statementPdf, statementRecord } from "../src/ledger/statements/show-statement.ts";
import type { Handler } from "../src/operation.ts";
import { acceptedForm } from "../src/text/export.ts";
import { readWorkspace } from "../src/workspaces/workspaces.ts";

const forms = { "text/csv": "csv", "application/pdf": "pdf", "application/json": "json" } as const;

/** A statement lists so many payments; the sums hold all of them. */
const paymentsMax = 1000;

export const getStatement: Handler<"getStatement"> = async ({ config, db, clock }, { caller: { accountId, session }, path, headers }) => {
  const month = (await readMonths(db, accountId, clock())).find(({ month }) => month === path.month) ?? fail("statement_not_found");
  const found = await readPayments(db, accountId, month, paymentsMax + 1);
  const payments = found.slice(0, paymentsMax);
  const form = acceptedForm(headers.accept, forms);
  if (form === "csv") return file("text/csv; charset=utf-8", Buffer.from(statementCsv(accountId, month, payments)), `${month.month}.csv`);
  if (form === "pdf") {
    const { name } = await readWorkspace(db, (session as CallerSession).personId, accountId); // the contract accepts no API key here
    const { email } = (await findUser(db, accountId))!;
    const parties = { service: config.service.name, seller: config.invoiceSeller, account: { id: accountId, name, email } };
    return file("application/pdf", statementPdf(month, payments, parties), `${month.month}.pdf`);
  }
  const body = {
    ...statementRecord(accountId, month),
    payments: payments.map(paymentRecord),
    payments_truncated: found.length > paymentsMax,
  };
  return { status: 200, headers: { vary: "Accept" }, body };
};

function file(type: string, bytes: Buffer, name: string) {
  return {
    status: 200,
    headers: { "content-type": type, vary: "Accept", "content-disposition": `attachment; filename="statement-${name}"` },
    bytes,
  };
}
