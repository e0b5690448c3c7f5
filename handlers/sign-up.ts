// POST /v1/auth/signup: the same reply for an address that has an account already.
import type { Handler } from "../src/operation.ts";
import { signUp as run } from "../src/sign-in/sign-up.ts";
import { throttle } from "../src/sign-in/throttle.ts";
import { userRecord } from "../src/sign-in/user-record.ts";

export const signUp: Handler<"signUp"> = async (context, { body, address, receivedAt }) => {
  const { email, password, name } = body;
  await throttle(context, "sign-up", { client: address, email });
  const user = await run(context, { email, password, name: name?.trim() || null, at: receivedAt });
  return {
    status: 201,
    body: { user: userRecord(context.catalog, user), verification_required: true },
  };
};
