// What the replies that begin a session have in common: its cookie, and that nobody keeps them.
import { sessionCookie } from "../src/accounts/session-cookie.ts";

export function newSessionHeaders({ session_token: token }: { session_token: string }) {
  return { "set-cookie": sessionCookie(token), "cache-control": "no-store" };
}
