// POST /v1/auth/verify: by the link's token, or by address and code. If both are sent, the token counts.
import { sessionCookie } from "../src/accounts/tokens.ts";
import { toUsd } from "../src/money.ts";
import type { Handler } from "../src/operation.ts";
import { throttle } from "../src/sign-in/throttle.ts";
import { verifyByCode, verifyByToken } from "../src/sign-in/verify-email.ts";

export const verifyAccount: Handler<"verifyAccount"> = async (context, { body, headers, address, receivedAt: at }) => {
  const { token, email, code } = body as { token?: unknown; email: string; code: string };
  const byToken = typeof token === "string" && token !== "";
  await throttle(context, "verify", byToken ? { client: address } : { client: address, email });
  const from = { client: address, userAgent: headers["user-agent"], at };
  const { session, creditGranted, apiKey } = byToken
    ? await verifyByToken(context, { token, ...from })
    : await verifyByCode(context, { email, code, ...from });
  return {
    status: 200,
    headers: { "set-cookie": sessionCookie(session.session_token) },
    body: { ...session, credit_granted_usd: toUsd(creditGranted), api_key: apiKey },
  };
};
