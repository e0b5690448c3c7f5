// Sends mail: over SMTP if the operator configured a server, else into the log if only the operator reads it. Knows no texts, but signs each
// with the service's name.
import { setTimeout as sleep } from "node:timers/promises";
import type { Transporter } from "nodemailer";
import type { Logger } from "pino";
import { withTimeout } from "../clock.ts";
import { isEmailAddress } from "../text/email-address.ts";
import { escapeHtml } from "../text/html.ts";

export interface Mail {
  to: string;
  subject: string;
  text: string;
  /** The same for programs that show it; absent: text alone. */
  html?: string;
  /** Without the angle brackets; the same each time the mail is sent again. */
  messageId?: string;
}

/** How an attempt ended. */
type MailOutcome =
  | { sent: true }
  /** `final`: sending it again would change nothing. */
  | { sent: false; final: boolean; code: number | null; reason: string };

export interface Mailer {
  /** Returns at once and never throws: how long a mail takes, or whether one is sent at all, must not show in a reply. */
  send(mail: Mail): void;
  /** Tries once, for mails that are kept elsewhere and sent again. Never rejects; ends within `sendMs`. */
  attempt(mail: Mail): Promise<MailOutcome>;
  /** Waits for mails in flight. */
  close(): Promise<void>;
}

interface MailerOptions {
  /** What mails call the service, in subject, signature and sender; null: nothing. */
  name?: string | null;
  smtpUrl: string | null;
  from: string;
  log: Logger;
  /** Without SMTP: whether a mail may be logged in full. Its link signs in anyone who reads it. */
  prints?: boolean;
  /** How long mails in flight may take at the end of the process. */
  closeMs?: number;
}

export function createMailer({ name = null, ...options }: MailerOptions): Mailer {
  const mailer = createUnsigned({ ...options, from: name === null ? options.from : namedSender(options.from, name) });
  if (name === null) return mailer;
  return { ...mailer, send: (mail) => mailer.send(signed(mail, name)), attempt: (mail) => mailer.attempt(signed(mail, name)) };
}

/** A sender that has a name keeps it. */
function namedSender(from: string, name: string): string {
  return isEmailAddress(from) ? `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}" <${from}>` : from;
}

function signed(mail: Mail, name: string): Mail {
  const { subject, text, html } = mail;
  const signature = `<p>${escapeHtml(name)}</p>\n</body>`;
  return {
    ...mail,
    ...{ subject: `${name}: ${subject}`, text: `${text}\n${name}\n` },
    ...(html !== undefined && { html: html.replace("</body>", () => signature) }),
  };
}

function createUnsigned({ smtpUrl, from, log, prints = true, closeMs = 10_000 }: Omit<MailerOptions, "name">): Mailer {
  if (smtpUrl !== null) return createSmtpMailer({ smtpUrl, from, log, closeMs });
  const print = ({ to, subject, text }: Mail) => {
    if (prints) log.warn({ mail: { to, subject, text } }, "SMTP_URL is not set: this mail is printed instead of sent");
    else log.error({ to, subject }, "SMTP_URL is not set: a mail was not sent");
  };
  return {
    send: print,
    async attempt(mail) {
      print(mail);
      return prints ? { sent: true } : { sent: false, final: true, code: null, reason: "SMTP_URL is not set" };
    },
    close: async () => undefined,
  };
}

// Mail over SMTP: a bounded number in flight, each tried a few times. A mail's text is never logged: its link signs its reader in.

/** More mails than this are dropped: a long outage of the server would fill the memory. */
const underWayMax = 1_000;
/** Pauses before the second and third attempt: for a transient error, and for a mail server's restart. */
const pausesMs = [1_000, 10_000];

/** The longest that an attempt takes whose outcome is waited for. */
const sendMs = 45_000;

const transportOptions = {
  pool: true,
  maxConnections: 3,
  maxRequeues: 0, // tries are counted here
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
  dnsTimeout: 10_000,
  disableFileAccess: true,
  disableUrlAccess: true,
} as const;

function createSmtpMailer({ smtpUrl, from, log, closeMs }: Required<Omit<MailerOptions, "prints" | "name">> & { smtpUrl: string }): Mailer {
  // The message omits the address, which contains a password.
  if (!/^smtps?:\/\/[^/]/i.test(smtpUrl) || !URL.canParse(smtpUrl))
    throw new Error("SMTP_URL must look like smtp://user:password@host:587");
  // Loaded on demand: a gateway without SMTP doesn't need it.
  const opening = import("nodemailer").then(({ createTransport }) => createTransport({ url: smtpUrl, ...transportOptions }));
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();

  return {
    send(mail) {
      if (underWay.size >= underWayMax) return log.error("a mail was dropped: too many wait for the mail server");
      const sent = opening.then((transport) => deliver(transport, { from, mail, log, closing: closing.signal }));
      underWay.add(sent);
      void sent.finally(() => underWay.delete(sent));
    },
    async attempt(mail) {
      if (!isEmailAddress(mail.to)) return { sent: false, final: true, code: null, reason: "the address is invalid" };
      const sending = opening.then((transport) => sendOnce(transport, from, mail));
      const late = () => Promise.reject(new Error("the mail server took too long"));
      return withTimeout<unknown>(sendMs, sending, late).then(() => ({ sent: true }), unsent);
    },
    async close() {
      closing.abort();
      await Promise.race([Promise.all(underWay), sleep(closeMs, undefined, { ref: false })]);
      if (underWay.size > 0) log.error({ mails: underWay.size }, "mails were not sent before shutdown");
      (await opening).close();
    },
  };
}

interface Delivery {
  from: string;
  mail: Mail;
  log: Logger;
  /** Fires when there is no time left for a pause. */
  closing: AbortSignal;
}

/** Never rejects. */
async function deliver(transport: Transporter, { from, mail, log, closing }: Delivery): Promise<void> {
  const { to } = mail;
  if (!isEmailAddress(to)) return log.error("a mail was not sent: its address is invalid");
  for (let tries = 1; ; tries++) {
    try {
      await sendOnce(transport, from, mail);
      return;
    } catch (error) {
      const pauseMs = pausesMs[tries - 1];
      if (pauseMs === undefined || isRefused(error)) return log.error({ ...facts(error), to, tries }, "a mail could not be sent");
      log.warn({ ...facts(error), tries }, "a mail could not be sent yet");
      await sleep(pauseMs, undefined, { signal: closing }).catch(() => undefined);
    }
  }
}

async function sendOnce(transport: Transporter, from: string, { to, subject, text, html, messageId }: Mail): Promise<void> {
  await transport.sendMail({
    from,
    // An object is used as a single address; a text would be parsed as a list.
    to: { name: "", address: to },
    subject,
    text,
    ...(html !== undefined && { html }),
    ...(messageId !== undefined && { messageId: `<${messageId}>` }),
    headers: { "Auto-Submitted": "auto-generated" },
  });
}

function unsent(error: unknown): MailOutcome {
  const { responseCode, reason } = facts(error);
  return { sent: false, final: isRefused(error), code: typeof responseCode === "number" ? responseCode : null, reason };
}

/** 5xx: a permanent refusal. */
function isRefused(error: unknown): boolean {
  return ((error as { responseCode?: number }).responseCode ?? 0) >= 500;
}

/** The loggable part of a nodemailer error: what the server answered, not what was sent to it. */
function facts(error: unknown): { code: unknown; responseCode: unknown; reason: string } {
  const { code, responseCode, message } = error as Error & { code?: unknown; responseCode?: unknown };
  return { code, responseCode, reason: message };
}
