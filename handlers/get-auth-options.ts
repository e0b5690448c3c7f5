// GET /v1/auth/options: how people sign in and up here. Public. src/sign-in/options.ts makes the answer.
import type { Handler } from "../src/operation.ts";
import { authOptions } from "../src/sign-in/options.ts";

const headers = { "cache-control": "public, max-age=60" } as const;

export const getAuthOptions: Handler<"getAuthOptions"> = ({ config }) => ({ status: 200, headers, body: authOptions(config) });
