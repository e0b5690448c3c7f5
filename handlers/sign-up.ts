// POST /v1/auth/signup: the same reply for an address that has an account already.
import { userRecord } from "../src/accounts/users.ts";
import { tierOf } from "../src/catalog/tiers.ts";
import type { Handler } from "../src/server/types.ts";
import { signUp as run } from "../src/sign-in/sign-up.ts";
import { throttle } from "../src/sign-in/throttle.ts";

export const signUp: Handler<"signUp"> = async (context, { body, address, receivedAt }) => {
  const { email, password, name } = body;
  await throttle(context, "sign-up", { client: address, email });
  const user = await run(context, { email, password, name: name?.trim() || null, at: receivedAt });
  return {
    status: 201,
    body: { user: userRecord(user, tierOf(context.catalog, 0n).tier), verification_required: true },
  };
};
