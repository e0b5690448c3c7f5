// The texts of the mails: plain and short. Each says what to do if you did not ask for it.
import type { Mail } from "../mail/mailer.ts";
import type { MailSecrets } from "./verifications.ts";

interface Place {
  to: string;
  publicUrl: string;
}

export function verificationMail({ to, publicUrl }: Place, { token, code }: MailSecrets): Mail {
  return {
    to,
    subject: "Verify your address",
    text: `Someone signed up at ${publicUrl} with this address.

Verify it with this link:
${publicUrl}/console/verify#token=${token}

or by this code: ${code}

or from a terminal:
curl ${publicUrl}/v1/auth/verify -H "Content-Type: application/json" -d '{"token":"${token}"}'

Each works once, within a day, and sets the password that was chosen at that sign-up.
If it was not you, do nothing: no account is opened for an address that is not verified.
`,
  };
}

export function accountExistsMail({ to, publicUrl }: Place): Mail {
  return {
    to,
    subject: "You already have an account",
    text: `Someone signed up at ${publicUrl} with this address, which already has an account. Nothing was changed.

If it was you, sign in with your password, or set a new one:
${publicUrl}/console/forgot-password

or from a terminal:
curl ${publicUrl}/v1/auth/password/forgot -H "Content-Type: application/json" -d '{"email":"YOUR ADDRESS"}'

If it was not you, do nothing.
`,
  };
}

export function passwordResetMail({ to, publicUrl }: Place, { token }: Pick<MailSecrets, "token">): Mail {
  return {
    to,
    subject: "Set a new password",
    text: `Someone asked for a new password at ${publicUrl} for this address.

Set it with this link:
${publicUrl}/console/reset-password#token=${token}

or from a terminal:
curl ${publicUrl}/v1/auth/password/reset -H "Content-Type: application/json" -d '{"token":"${token}","password":"YOUR NEW PASSWORD"}'

The link works once, within an hour. A new password ends every session.
If it was not you, do nothing: the password stays as it is.
`,
  };
}

export function accountDeletedMail({ to, publicUrl }: Place): Mail {
  return {
    to,
    subject: "Your account was deleted",
    text: `Your account at ${publicUrl} was deleted. Its keys and sessions no longer work, and this address is no longer stored.

If it was not you, contact the operator of the gateway at once: someone knows your password.
`,
  };
}
