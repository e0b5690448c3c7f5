// `svc ledger compare`: the gateway's log of charges beside the ledger, and posting what a restore lost.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { Refused } from "../accounts/admin.ts";
import { accountIdText, parseAccountId } from "../ids.ts";
import { parseJson } from "../json/parse.ts";
import type { Charge } from "../ledger/charge-log.ts";
import { compareLog, type Difference, postLost } from "../ledger/compare-log.ts";
import { parseUsd, toUsd, usdText } from "../money.ts";
import type { Db } from "../db/connect.ts";
import type { Input, Outcome } from "./command.ts";
import { recordedByShell, withDatabase, withoutTimeout } from "./with-database.ts";

/** Of each list; the counts and sums are of all. */
const shownMax = 1_000;

export async function compare({ config, words, options }: Input): Promise<Outcome> {
  return withDatabase(
    config,
    async (db) => {
      let unreadable = 0;
      const found = await compareLog(
        db,
        readLogs(words, () => void (unreadable += 1)),
      );
      if (found.logged === 0 && unreadable > 0) throw new Refused("no line of this is one of a log of charges");
      const { logged, lost, unsettled, goingOn, unknown, different, unlogged } = found;
      if (options.post === true && found.matched === 0 && unlogged.length > 0)
        throw new Refused(
          "nothing was posted: none of these charges is in the ledger, which has others of that time. This is the log of another installation, or not that of all gateways",
        );
      const { posted, refused } = options.post === true ? await postAll(db, [...lost, ...unsettled]) : { posted: 0, refused: [] };
      const open = options.post === true ? refused : [...lost, ...unsettled];
      const json = {
        ...{ logged, unreadable, lost: shown(lost), lost_count: lost.length, lost_usd: toUsd(sum(lost)), posted, refused: shown(refused) },
        ...{ unsettled: shown(unsettled), unsettled_count: unsettled.length, unsettled_usd: toUsd(sum(unsettled)) },
        going_on: shown(goingOn),
        unknown: shown(unknown),
        different: different.slice(0, shownMax).map((one) => ({ ...shown([one])[0]!, posted_usd: toUsd(one.posted) })),
        unlogged: shown(unlogged),
      };
      const list = (title: string, some: readonly Difference[]) =>
        some.length === 0 ? [] : [`${title}: ${some.length}, ${usdText(sum(some))} USD`, ...some.slice(0, shownMax).map(lineOf)];
      const lines = [
        `${logged} charges in the log`,
        ...(unreadable === 0 ? [] : [`lines that can't be read: ${unreadable}`]),
        ...list("lost", lost),
        ...list("never settled, because the database was away", unsettled),
        ...(options.post === true ? [`posted: ${posted}`] : []),
        ...list("refused, because the account never had so much", refused),
        ...list("of media jobs that go on, and are charged at their end", goingOn),
        ...list("of accounts that are not there", unknown),
        ...list("with another amount in the ledger", different),
        ...list("in the ledger and not in the log", unlogged),
      ];
      const bad = open.length + unknown.length + different.length + unlogged.length + unreadable > 0;
      return { json, text: [...lines, ...(lines.length === 1 ? ["everything agrees"] : [])].join("\n"), bad };
    },
    withoutTimeout,
  );
}

const sum = (some: readonly Difference[]) => some.reduce((total, { amount }) => total + amount, 0n);

function shown(some: readonly Difference[]) {
  return some.slice(0, shownMax).map(({ accountId, requestId, at, amount }) => ({
    ...{ account_id: accountIdText(accountId), request_id: requestId, at: at.toISOString(), usd: toUsd(amount) },
  }));
}

function lineOf({ accountId, requestId, at, amount }: Difference): string {
  return `  ${at.toISOString()} ${accountIdText(accountId)} ${requestId} ${usdText(amount)} USD`;
}

/** One after the other, each with its row in the log of actions. */
async function postAll(db: Db, lost: readonly Difference[]): Promise<{ posted: number; refused: Difference[] }> {
  const refused: Difference[] = [];
  let posted = 0;
  for (const one of lost) {
    const at = db.checks.now();
    const target = accountIdText(one.accountId);
    const row = (refusal: string | null) =>
      refusal === null
        ? {
            action: "account.adjust",
            target,
            reason: "lost charge",
            effect: one.id,
            after: { amount_usd: toUsd(-one.amount), request_id: one.requestId },
          }
        : null;
    const refusal = await recordedByShell(db, at, (transaction) => postLost(transaction, one, at), row);
    if (refusal === null) posted += 1;
    else if (refusal !== "charged") refused.push(one);
  }
  return { posted, refused };
}

async function* readLogs(files: readonly string[], onUnreadable: () => void): AsyncGenerator<Charge> {
  for (const file of files) {
    const source = createReadStream(file);
    const input = file.endsWith(".gz") ? source.pipe(createGunzip()) : source;
    if (input !== source) source.once("error", (error) => input.destroy(error));
    try {
      for await (const line of createInterface({ input, crlfDelay: Infinity })) {
        if (line === "") continue;
        const charge = readCharge(line);
        if (charge === null) onUnreadable();
        // A full disk or a process that was killed may have left half a line, which the next one follows.
        const found = charge ?? readCharge(line.slice(line.lastIndexOf('{"at":')));
        if (found !== null) yield found;
      }
    } catch (error) {
      if ((error as { code?: unknown }).code === undefined) throw error;
      throw new Refused(`${file} can't be read to its end: ${(error as Error).message}`);
    }
  }
}

/** As the gateway writes them; what is otherwise would end the comparison of all others. */
const written = {
  at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  id: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  requestId: /^[\x21-\x7e]{1,200}$/,
};
const amountMax = 2n ** 63n - 1n;

/** Of a log of charges, or of the gateway's own log, which has those that could not be settled. */
function readCharge(line: string): Charge | null {
  try {
    const { at, account_id, id, request_id, usd, unsettled } = parseJson(line) as Record<string, unknown>;
    const [time, accountId, amount] = [new Date(String(at)), parseAccountId(String(account_id)), parseUsd(String(usd))];
    if (accountId === undefined || amount === undefined || amount <= 0n || amount > amountMax) return null;
    if (!written.at.test(String(at)) || Number.isNaN(time.getTime())) return null;
    if (typeof id !== "string" || !written.id.test(id)) return null;
    if (typeof request_id !== "string" || !written.requestId.test(request_id)) return null;
    return { at: time, accountId, id, requestId: request_id, amount, ...(unsettled === true ? { unsettled } : {}) };
  } catch {
    return null;
  }
}
