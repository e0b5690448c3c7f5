// POST /v1/auth/signin/{provider}/start. The story is src/sign-in/external.ts.
import { startExternalSignIn } from "../src/sign-in/external.ts";
import type { Handler } from "../src/server/types.ts";

export const startSignIn: Handler<"startSignIn"> = async (context, { path, body, receivedAt }) => ({
  status: 200,
  body: await startExternalSignIn(context, { provider: path.provider, redirectUri: body.redirect_uri, at: receivedAt }),
});
