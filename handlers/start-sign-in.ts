// POST /v1/auth/signin/{provider}/start. The steps are in src/sign-in/external.ts.
import type { Handler } from "../src/operation.ts";
import { beginInBrowser, startExternalSignIn } from "../src/sign-in/external.ts";
import { throttle } from "../src/sign-in/throttle.ts";

export const startSignIn: Handler<"startSignIn"> = async (context, { path, body, headers, address, receivedAt }) => {
  await throttle(context, "external start", { client: address });
  const { browser, cookie } = beginInBrowser(headers);
  const asked = { provider: path.provider, redirectUri: body.redirect_uri, browser, at: receivedAt };
  return { status: 200, headers: { "set-cookie": cookie }, body: await startExternalSignIn(context, asked) };
};
