// POST /v1/auth/signin/{provider}/start. The story is src/sign-in/external.ts.
import type { Handler } from "../src/server/types.ts";
import { startExternalSignIn } from "../src/sign-in/external.ts";
import { throttle } from "../src/sign-in/throttle.ts";

export const startSignIn: Handler<"startSignIn"> = async (context, { path, body, address, receivedAt }) => {
  await throttle(context, "external start", { client: address });
  const started = await startExternalSignIn(context, { provider: path.provider, redirectUri: body.redirect_uri, at: receivedAt });
  return { status: 200, body: started };
};
