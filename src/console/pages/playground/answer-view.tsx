// An answer: its text as it comes, how long it took, and its cost: an estimate while it runs, afterwards what was charged.
import { Link } from "@tanstack/react-router";
import type { ModelRow } from "svc-sdk/functions";
import type { ReactNode } from "react";
import { none, usd } from "../../lib/money.ts";
import { duration } from "../../lib/time.ts";
import { CopyIcon } from "../../ui/copy.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Markdown } from "../../ui/markdown.tsx";
import { Badge } from "../../ui/parts.tsx";
import type { Answer } from "./chat-store.ts";
import { InputError } from "./request.ts";
import { ToolCalls } from "./tool-calls.tsx";

interface AnswerViewProps {
  answer: Answer;
  asked: string;
  model: ModelRow | undefined;
  /** Which answer of its column, from 1. */
  number: number;
  /** Whether the results of its calls may be sent. */
  open: boolean;
}

export function AnswerView({ answer, asked, model, number, open }: AnswerViewProps): ReactNode {
  const { text, reasoning, calls, state, error } = answer;
  return (
    <section
      aria-label={number === 1 ? answer.model : `${answer.model}, answer ${number}`}
      aria-busy={state === "running"}
      className="min-w-0 rounded-xl border border-line bg-panel p-4 shadow-card"
    >
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 text-sm font-semibold break-words">{model?.name ?? answer.model}</h2>
        {state === "stopped" && <Badge tone="warn">Stopped</Badge>}
        {state === "running" && text === "" && (
          <span className="animate-pulse text-xs text-quiet">{reasoning === "" ? "Waiting…" : "Thinking…"}</span>
        )}
        {text !== "" && state !== "running" && (
          <span className="ml-auto">
            <CopyIcon text={text} what="answer" />
          </span>
        )}
      </div>
      {reasoning !== "" && (
        <details className="mb-3 text-quiet">
          <summary className="text-xs">Thinking</summary>
          <p className="mt-2 border-l-2 border-line pl-3 break-words whitespace-pre-wrap">{reasoning}</p>
        </details>
      )}
      <Markdown text={text} />
      <ToolCalls answer={answer} open={open} />
      {state !== "running" && text === "" && calls.length === 0 && error === null && <p className="text-quiet">The answer has no text.</p>}
      {error instanceof InputError ? <p role="alert">{error.message}</p> : <ErrorNote error={error} />}
      <Measures answer={answer} asked={asked} model={model} />
    </section>
  );
}

function Measures({ answer, asked, model }: Omit<AnswerViewProps, "number" | "open">): ReactNode {
  const { state, cost, requestId, firstMs, wholeMs } = answer;
  const estimate = state === "running" ? estimateOf(answer, asked, model) : null;
  return (
    <p className="figures mt-3 flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line pt-2 text-xs text-quiet">
      <span>
        Cost <strong className="font-medium text-text">{estimate === null ? usd(cost) : `about ${usd(estimate)}`}</strong>
      </span>
      <span title="Until the first token">First {firstMs === null ? none : duration(firstMs)}</span>
      <span>Whole {wholeMs === null ? none : duration(wholeMs)}</span>
      {requestId !== null && state !== "running" && (
        <Link to="/logs" search={{ request: requestId }} className="ml-auto text-accent hover:underline">
          Receipt
        </Link>
      )}
    </p>
  );
}

/** A token is about four characters; the receipt has what was measured. */
function estimateOf({ text, reasoning }: Answer, asked: string, model: ModelRow | undefined): number | null {
  if (model?.pricing.mode !== "per-token") return null;
  const { input, output } = model.pricing;
  return Number(((Math.ceil(asked.length / 4) * input + Math.ceil((text.length + reasoning.length) / 4) * output) / 1e6).toFixed(8));
}
