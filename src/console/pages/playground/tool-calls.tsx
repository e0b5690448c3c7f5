// What a model wants to be called: the reader calls it, writes what came of it, and the conversation goes on.
import { useMutation } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { useMay } from "../../lib/rights.ts";
import { Button } from "../../ui/button.tsx";
import { TextArea } from "../../ui/field.tsx";
import { Icon } from "../../ui/icons.tsx";
import { type Answer, changeAnswer, type ToolCall } from "./chat-store.ts";
import { sendResults } from "./send.ts";

/** `open`: whether the results may be sent, or sent once more. */
export function ToolCalls({ answer, open }: { answer: Answer; open: boolean }): ReactNode {
  const ask = useMutation({ mutationFn: sendResults });
  const may = useMay("keys") !== false;
  const { calls } = answer;
  if (calls.length === 0) return null;
  const ready = may && open && calls.every(({ result }) => result.trim() !== "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready) ask.mutate(answer);
  };
  return (
    <form onSubmit={submit} className="mt-2 space-y-3">
      {calls.map((call, at) => (
        <div key={call.index} className="space-y-2 rounded-lg bg-sunken p-3">
          <p className="text-xs text-quiet">Calls a tool</p>
          <p className="font-mono text-xs break-words whitespace-pre-wrap">{`${call.name}(${call.arguments})`}</p>
          {open ? (
            <TextArea
              label={at === 0 ? `Result of ${call.name}` : `Result of ${call.name}, call ${at + 1}`}
              mono
              rows={2}
              spellCheck={false}
              placeholder="JSON or text"
              value={call.result}
              onChange={(event) => setResult(answer.id, call, event.target.value)}
            />
          ) : (
            answer.answered && <Result text={call.result} />
          )}
        </div>
      ))}
      {open && (
        <div className="flex flex-wrap items-center justify-end gap-2">
          <p className="mr-auto text-xs text-quiet">Tools are not run here. Calls without a result are left out of the next message.</p>
          <Button type="submit" kind="primary" disabled={!ready}>
            <Icon name="send" /> {calls.length === 1 ? "Send result" : "Send results"}
          </Button>
        </div>
      )}
    </form>
  );
}

function Result({ text }: { text: string }): ReactNode {
  return (
    <>
      <p className="text-xs text-quiet">Your result</p>
      <p className="font-mono text-xs break-words whitespace-pre-wrap">{text}</p>
    </>
  );
}

function setResult(answer: number, { index }: ToolCall, result: string): void {
  changeAnswer(answer, ({ calls }) => ({ calls: calls.map((call) => (call.index === index ? { ...call, result } : call)) }));
}
