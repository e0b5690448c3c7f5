// Sends mail: over SMTP where the operator gave a server (smtp.ts), else into the log (OPERATOR.md, SMTP_URL). Knows no texts.
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

export function createMailer({ smtpUrl, from, log }: { smtpUrl: string | null; from: string; log: Logger }): Mailer {
  if (smtpUrl !== null) return createSmtpMailer({ smtpUrl, from, log });
  return {
    send: (mail) => log.warn({ mail }, "SMTP_URL is not set: this mail is printed instead of sent"),
    close: async () => undefined,
  };
}
