// GET /v1/usage/{request_id}/proof: a receipt, signed, with its place in the account's chain. The SDK's verify-receipt.ts checks it.
import { accountIdText } from "../src/ids.ts";
import { entryId, readEntriesOf } from "../src/ledger/entries.ts";
import { readLog } from "../src/ledger/read-usage-log.ts";
import { linkText, readHead, readLinks } from "../src/ledger/verify.ts";
import { fail } from "../src/errors/fail.ts";
import type { Handler } from "../src/operation.ts";
import { receiptOf } from "./get-receipt.ts";

const linksMax = 5000;

export const getReceiptProof: Handler<"getReceiptProof"> = async (context, { caller, path, query, receivedAt }) => {
  const { db, receiptKeys, publicUrl } = context;
  const { accountId } = caller;
  const row = (await readLog(db, accountId, path.request_id)) ?? fail("request_not_found", { text: { id: path.request_id } });
  const receipt = await receiptOf(db, row);
  const seqs = (await readEntriesOf(db, accountId, row.id)).map(({ seq }) => seq).slice(0, receipt.ledger.length);
  // The chain only grows: its head, read last, is after every entry of the receipt.
  const head = await readHead(db, accountId);
  const linkOf = async (seq: bigint) => {
    const [before, own] =
      seq === 1n ? [null, ...(await readLinks(db, accountId, 1n, 1n, 1))] : await readLinks(db, accountId, seq - 1n, seq, 2);
    return { id: entryId(seq), before: before?.hash.toString("hex") ?? "", text: linkText(own!) };
  };
  const chain_head = head === undefined ? null : { id: entryId(head.seq), hash: head.hash.toString("hex") };
  const iat = Math.floor(receivedAt.getTime() / 1000);
  const links = await Promise.all(seqs.map(linkOf));
  const jws = await receiptKeys.sign({ iss: publicUrl, iat, account_id: accountIdText(accountId), receipt, chain_head, links });
  const body = { object: "usage.receipt_proof" as const, jws, receipt, chain_head };
  if (query.chain !== true || head === undefined || seqs[0] === undefined) return { status: 200, body };
  const chained = await readLinks(db, accountId, seqs[0], head.seq, linksMax);
  return { status: 200, body: { ...body, chain: { texts: chained.map(linkText), complete: chained.at(-1)!.seq === head.seq } } };
};
