// Sends mail: over SMTP where the operator gave a server (smtp.ts), else into the log, where that is the sender's own alone. Knows no texts.
import type { Logger } from "pino";
import { createSmtpMailer } from "./smtp.ts";

export interface Mail {
  to: string;
  subject: string;
  text: string;
}

export interface Mailer {
  /** Returns at once and never throws: how long a mail takes, or whether one is sent at all, must not show in a reply. */
  send(mail: Mail): void;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

interface MailerOptions {
  smtpUrl: string | null;
  from: string;
  log: Logger;
  /** Without SMTP: whether a mail may stand in the log as it is. Its link signs in whoever reads it. */
  prints?: boolean;
}

export function createMailer({ smtpUrl, from, log, prints = true }: MailerOptions): Mailer {
  if (smtpUrl !== null) return createSmtpMailer({ smtpUrl, from, log });
  return {
    send({ to, subject, text }) {
      if (prints) log.warn({ mail: { to, subject, text } }, "SMTP_URL is not set: this mail is printed instead of sent");
      else log.error({ to, subject }, "SMTP_URL is not set: a mail was not sent");
    },
    close: async () => undefined,
  };
}
