// Mails about notices: plain and short, once as text and once as HTML, in which every value is escaped. A text is made when its delivery is
// sent, from what the notice says.
import { findMember } from "../accounts/members.ts";
import type { Queries } from "../db/connect.ts";
import type { Mail, Mailer } from "../mail/mailer.ts";
import { escapeHtml } from "../text/html.ts";
import type { Claimed, Outcome } from "./deliveries.ts";
import type { EventData, EventName } from "./events.ts";

interface About {
  to: string;
  /** The workspace's name. */
  workspace: string;
  /** The address of the member whom the notice is about; `usr_…` of one who has left. */
  member: string | undefined;
  publicUrl: string;
}

interface Text {
  subject: string;
  /** Paragraphs. */
  says: string[];
  /** The page of the console that helps. */
  page: string;
}

const usd = (amount: number) => `${amount.toFixed(2)} USD`;
/** Rounded down, to cents: 4.999 USD is less than 5.00 USD. */
const usdLeft = (amount: number) => usd(Math.floor(Math.round(amount * 1e8) / 1e6) / 100);
/** On one line: a name can't pass lines of its own off as the gateway's. */
const quoted = (name: string) => JSON.stringify(name);
const time = (iso: string) => `${iso.slice(0, 16).replace("T", " ")} UTC`;
const refusedUntil = (periodEnds: string | null, raised: string) =>
  `Calls that no longer fit the budget are refused until ${periodEnds === null ? "" : `it resets, at ${time(periodEnds)}, or until `}${raised}.`;

const texts: { [Event in EventName]: (data: EventData[Event], workspace: string, member: string | undefined) => Text } = {
  "balance.low": ({ balance_usd, threshold_usd }, workspace) => ({
    subject: `Credit is low: ${usdLeft(balance_usd)} left`,
    says: [
      `The workspace ${workspace} has ${usdLeft(balance_usd)} of credit left, which is less than ${usd(threshold_usd)}.`,
      "Without credit, calls are refused. Add credit before it runs out.",
    ],
    page: "/console/credit",
  }),
  "key.budget_reached": ({ key_name, percent, spent_usd, limit_usd, period_ends }, workspace) => ({
    subject: `An API key has used ${percent}% of its budget`,
    says: [
      `The key ${quoted(key_name)} of the workspace ${workspace} has spent ${usd(spent_usd)} of ${usd(limit_usd)}.`,
      refusedUntil(period_ends, "you raise it"),
    ],
    page: "/console/keys",
  }),
  "key.expiring": ({ key_name, expires_at }, workspace) => ({
    subject: "An API key is about to expire",
    says: [
      `The key ${quoted(key_name)} of the workspace ${workspace} stops working at ${time(expires_at)}.`,
      "Extend it, or switch to another key before then.",
    ],
    page: "/console/keys",
  }),
  "member.budget_reached": ({ percent, spent_usd, limit_usd, period_ends }, workspace, member) => ({
    subject: `A member has used ${percent}% of their budget`,
    says: [
      `The API keys that ${member} created in the workspace ${workspace} have together spent ${usd(spent_usd)} of ${usd(limit_usd)}.`,
      refusedUntil(period_ends, "an owner or admin raises it"),
    ],
    page: "/console/members",
  }),
  "payment.failed": ({ topup_id, amount_usd, auto_topup_off: off }, workspace) => ({
    subject: off === undefined ? "A payment failed" : "Automatic top-ups were turned off",
    says: [
      `The payment of ${usd(amount_usd)} for the workspace ${workspace} failed (${topup_id}). No credit was added.`,
      off === undefined
        ? "Try again, or pay another way."
        : off === "declined"
          ? "The saved card was declined, so it is no longer charged. Add credit by hand, or save another card and turn automatic top-ups on again."
          : "The saved card needs its bank's approval or a confirmed billing address, so it is no longer charged. Save the card again, or add credit by hand.",
    ],
    page: "/console/credit",
  }),
  "payment.disputed": ({ topup_id, amount_usd, disputed_usd }, workspace) => ({
    subject: "A payment was disputed",
    says: [
      `The bank disputes ${usd(disputed_usd)} of the payment of ${usd(amount_usd)} for the workspace ${workspace} (${topup_id}).`,
      "Disputed money is deducted from the credit until the dispute is decided. If you did not dispute it, talk to your bank.",
    ],
    page: "/console/credit",
  }),
  "webhook.disabled": ({ url, failing_since }, workspace) => ({
    subject: "A webhook was disabled",
    says: [
      `Webhooks of the workspace ${workspace} to ${url} have failed since ${time(failing_since)}, so nothing more is sent there.`,
      "Enable the endpoint again once it works. Its delivery log shows what it answered.",
    ],
    page: "/console/settings",
  }),
  "recovery_code.used": ({ used_at, left }) => ({
    subject: "A recovery code was used",
    says: [
      `Someone used one of your account's recovery codes at ${time(used_at)}. ${left} are left.`,
      "If it was you, turn the second factor off and on again when few are left: that makes new codes. If it was not you, set a new password at once: that ends every session.",
    ],
    page: "/console/settings",
  }),
  "totp.ended": ({ ended_at }) => ({
    subject: "The second factor was turned off",
    says: [
      `The second factor of your account was turned off at ${time(ended_at)}, from your account or by the operator of the gateway.`,
      "If you did not ask for it, set a new password at once, which ends every session, and turn it on again.",
    ],
    page: "/console/settings",
  }),
  "sign_in.new_place": ({ network, signed_in_at }) => ({
    subject: "A sign-in from a new place",
    says: [
      `Someone signed in to your account at ${time(signed_in_at)} from ${network}, a network not used in the last 30 days.`,
      "If it was you, do nothing. If it was not you, set a new password at once: that ends every session.",
    ],
    page: "/console/settings",
  }),
};

function noticeMail<Event extends EventName>({ to, workspace, member, publicUrl }: About, event: Event, data: EventData[Event]): Mail {
  const { subject, says, page } = texts[event](data, quoted(workspace), member);
  const link = publicUrl + page;
  const foot = `You get this mail from ${publicUrl}. Its settings: ${publicUrl}/console/settings`;
  return {
    to,
    subject,
    text: `${[...says, link, foot].join("\n\n")}\n`,
    html: `<!doctype html>
<html lang="en"><body style="font-family: sans-serif; line-height: 1.5; max-width: 36em">
${says.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join("\n")}
<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>
<p style="color: #666; font-size: 0.85em">${escapeHtml(foot)}</p>
</body></html>
`,
  };
}

interface Mailing {
  db: Queries;
  mailer: Mailer;
  publicUrl: () => string;
}

export async function sendByMail({ db, mailer, publicUrl }: Mailing, delivery: Claimed): Promise<Outcome> {
  const { accountId, id, event, data, address: to } = delivery;
  if (to === null) throw new Error("a delivery without an address is no mail");
  const workspace = await nameOf(db, accountId);
  const base = publicUrl();
  const member = event === "member.budget_reached" ? await addressOf(db, accountId, data as EventData[typeof event]) : undefined;
  const mail = noticeMail({ to, workspace, member, publicUrl: base }, event, data as never);
  const host = URL.parse(base)?.hostname ?? "localhost";
  const outcome = await mailer.attempt({ ...mail, messageId: `${id}@${host}` });
  return outcome.sent ? outcome : { sent: false, final: outcome.final, code: outcome.code, response: outcome.reason };
}

async function nameOf({ pool }: Queries, accountId: bigint): Promise<string> {
  const sql = "select coalesce(workspace_name, name, email) as name from account where id = $1";
  return (await pool.query<{ name: string }>(sql, [accountId])).rows[0]!.name;
}

async function addressOf(db: Queries, accountId: bigint, { member_id: id }: EventData["member.budget_reached"]): Promise<string> {
  return (await findMember(db, accountId, id))?.email ?? id;
}
