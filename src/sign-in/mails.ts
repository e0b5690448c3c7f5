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

Verify it by this link:
${publicUrl}/console/verify#token=${token}

or by this code: ${code}

or from a terminal:
curl ${publicUrl}/v1/auth/verify -H "Content-Type: application/json" -d '{"token":"${token}"}'

All of them work once and for a day, and make the password of that sign-up the account's.
If it was not you, do nothing: without your answer the sign-up comes to nothing.
`,
  };
}

export function accountExistsMail({ to, publicUrl }: Place): Mail {
  return {
    to,
    subject: "You have an account already",
    text: `Someone signed up at ${publicUrl} with this address, which has an account already. Nothing was changed.

If it was you, sign in with the password that you have, or ask for a new one, from a terminal:
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

Set it by this link:
${publicUrl}/console/reset-password#token=${token}

or from a terminal:
curl ${publicUrl}/v1/auth/password/reset -H "Content-Type: application/json" -d '{"token":"${token}","password":"YOUR NEW PASSWORD"}'

It works once and for an hour. A new password ends every session.
If it was not you, do nothing: the password stays as it is.
`,
  };
}

export function accountDeletedMail({ to, publicUrl }: Place): Mail {
  return {
    to,
    subject: "Your account was deleted",
    text: `Your account at ${publicUrl} was deleted. Its keys and sessions no longer work, and this address is no longer stored with it.

If it was not you, answer the operator of that gateway at once: someone knew your password.
`,
  };
}
