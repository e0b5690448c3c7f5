// What goes through Prism in `npm run test:prism` and what does not, with the reasons. Prism can't carry more than is listed here
// (docs/behaviour/operation.md#toolchain); bad JSON, missing keys, odd paths, forms and sounds do go through, since desk.ts carries the request and the
// answer's bytes, and Prism judges the answer alone. Of a stream it sees the head and the end: the records are test/support's.
import type { Operation } from "../../generated/operations.ts";

export const suites = ["test/operations/**/*.test.ts"];

/** Suites that say nothing more of the contract: each pair of operation and status is answered in others too. */
export const suitesLeftOut: Record<string, string> = {
  "test/operations/speech/speech-stream.test.ts": "when a sound's bytes come, and how many lie in memory",
  "test/operations/chat/slow-body.test.ts": "when a request's body comes: sockets of its own, not fetch",
  "test/operations/sign-in/sign-in-overloaded.test.ts": "half a minute of hashing, for one status that every operation's test has too",
  "test/operations/sign-in/mail-floods.test.ts": "how many mails are sent; the answers are all alike",
  "test/operations/keys/api-keys-connections.test.ts": "connections that the database ends, thousands of the same calls",
  "test/operations/keys/api-keys-max.test.ts": "hundreds of the same call",
  "test/operations/images/images-held-account.test.ts": "hundreds of the same call at once",
  "test/operations/limits/limits-tokens.test.ts": "hundreds of the same call at once",
};

/** Pairs of operation and status that the contract declares and nothing answers. Prism has to see every other. */
export const neverAnswered = ["understandAudio 200"]; // retired: kept for reading old code

/** Single requests that go straight to the gateway. Undefined: through Prism. */
export function reasonToGoRound(
  method: string,
  operation: Operation | undefined,
  { aborts, undeclared }: { aborts: boolean; undeclared: boolean },
): string | undefined {
  if (operation === undefined) return "an unknown path or method, about which Prism answers itself";
  if (method === "HEAD") return "HEAD, which comes with GET and which Prism refuses";
  if (undeclared) return "an answer that no operation declares, as the test expects";
  if (aborts) return "a request that may be broken off, which Prism would not pass on";
  return undefined;
}
