// POST /v1/auth/signin/{provider}. The steps are in src/sign-in/external.ts.
import { sessionCookie } from "../src/accounts/tokens.ts";
import type { Handler } from "../src/operation.ts";
import { finishExternalSignIn, shownBy } from "../src/sign-in/external.ts";
import { throttle } from "../src/sign-in/throttle.ts";

export const signInWithProvider: Handler<"signInWithProvider"> = async (context, { path, body, headers, address, receivedAt }) => {
  await throttle(context, "external", { client: address });
  const proof = typeof body.id_token === "string" ? { idToken: body.id_token } : { code: body.code as string };
  const shown = shownBy(headers, body.nonce ?? null);
  const asked = {
    provider: path.provider,
    state: body.state,
    proof,
    shown,
    client: address,
    userAgent: headers["user-agent"],
    at: receivedAt,
  };
  const session = await finishExternalSignIn(context, asked);
  return { status: 200, headers: { "set-cookie": sessionCookie(session.session_token) }, body: session };
};
