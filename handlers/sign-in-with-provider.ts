// POST /v1/auth/signin/{provider}. The story is src/sign-in/external.ts.
import { finishExternalSignIn } from "../src/sign-in/external.ts";
import type { Handler } from "../src/server/types.ts";

export const signInWithProvider: Handler<"signInWithProvider"> = async (context, { path, body, receivedAt }) => {
  const proof = typeof body.id_token === "string" ? { idToken: body.id_token } : { code: body.code as string };
  const { setCookie, body: session } = await finishExternalSignIn(context, {
    provider: path.provider,
    state: body.state,
    proof,
    at: receivedAt,
  });
  return { status: 200, headers: { "set-cookie": setCookie }, body: session };
};
