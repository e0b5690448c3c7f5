// Collects what an answer shows its caller in one form, from whole answers and streams alike.
import type { UpstreamFault } from "../../../../src/providers/errors/upstream-error.ts";
import type { Variant } from "../../../../src/providers/types.ts";
import type { Usage } from "../../../../src/usage.ts";

export interface Shown {
  content: string;
  reasoning: string;
  refusal: string;
  calls: { id: unknown; name: string; arguments: string }[];
  finish: string;
  /** Token, its log probability, and those of its alternatives. */
  logprobs: [string, number, Record<string, number>][];
  /** Members that are not the dialect's own and are forwarded. */
  kept: string[];
}

/** What one host's files are read as. The names are those of fixtures/hosts/<host>/; `status` in `error-<status>-…` is the reply's. */
export interface Host {
  /** What is left out is empty, null for usage, `stop` for finish. */
  answers: Record<string, Partial<Shown> & { usage?: Usage; variant?: Variant }>;
  faults: Record<string, Fault>;
}

export interface Fault {
  fault: UpstreamFault;
  reason: string;
  param?: string;
  /** The text before it: present where the stream had begun. */
  after?: string;
}

/** Disjoint buckets. */
export function tokens(input: number, cacheRead: number, cacheWrite: number, output: number, reasoning = 0): Usage {
  return { input, cacheRead, cacheWrite, output, reasoning };
}

const own = new Set(
  "id object created model choices index delta message finish_reason role content refusal reasoning_content tool_calls logprobs type function annotations".split(
    " ",
  ),
);

/** `parts` are choices of chunks (`delta`) or of a whole answer (`message`), under the answers they came in. */
export function tell(answers: any[]): Shown {
  const choices = answers.flatMap((answer) => answer.choices);
  const parts = choices.map((choice) => choice.delta ?? choice.message);
  const join = (key: string) => parts.map((part) => part[key] ?? "").join("");
  const deltas = parts.flatMap((part) => part.tool_calls ?? []);
  const calls: any[] = [];
  for (const [position, call] of deltas.entries()) {
    if (call.id !== undefined) calls[call.index ?? position] = { id: call.id, name: call.function.name, arguments: "" };
    calls[call.index ?? position].arguments += call.function.arguments;
  }
  const kept = [...answers, ...choices, ...parts, ...deltas].flatMap(Object.keys).filter((key) => !own.has(key));
  return {
    content: join("content"),
    reasoning: join("reasoning_content"),
    refusal: join("refusal"),
    calls,
    finish: choices.at(-1)?.finish_reason,
    logprobs: choices.flatMap((choice) => (choice.logprobs?.content ?? []).map(logprobOf)),
    kept: [...new Set(kept)].sort(),
  };
}

function logprobOf({ token, logprob, top_logprobs: top }: any): Shown["logprobs"][number] {
  return [token, logprob, Object.fromEntries(top.map((other: any) => [other.token, other.logprob]))];
}
