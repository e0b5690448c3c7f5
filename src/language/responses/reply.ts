// A chat answer as a response, whole and streamed: the same items either way.
import type { Context } from "../../context.ts";
import { parseJson } from "../../json/parse.ts";
import type { ChatRecord, ChatWhole } from "../../providers/types.ts";
import type { Bill } from "../open-call.ts";
import type { StreamForm } from "../stream-answer.ts";
import { streamFault } from "../stream-fault.ts";
import { asksLogprobs, readLogprobs } from "./logprobs.ts";
import { type Delta, type Emit, newOutput } from "./output.ts";
import { addDelta, endOutput } from "./output-items.ts";
import { type Answering, endedResponse, idTailOf, isCut, newResponse } from "./response-object.ts";
import type { ResponseObject } from "./types.ts";

/** Chat's `n` is never sent, so there is one choice. */
export function wholeResponse(
  { clock }: Pick<Context, "clock">,
  answering: Answering,
  { completion }: Pick<ChatWhole, "completion">,
  bill: Bill,
): ResponseObject {
  const output = outputOf(answering, () => undefined);
  const [choice] = completion.choices;
  const finish = choice?.finish_reason ?? null;
  if (choice !== undefined) {
    const { message } = choice;
    const tool_calls = (message.tool_calls ?? []).map((call, index) => ({ ...call, index }));
    addDelta(output, { ...message, tool_calls }, asksLogprobs(answering.request) ? readLogprobs(choice.logprobs) : []);
  }
  endOutput(output, isCut(finish));
  return endedResponse(newResponse(answering), { finish, output: output.items, bill, now: clock() });
}

export function responseForm(context: Pick<Context, "clock" | "publicUrl">, answering: Answering): StreamForm<ChatRecord> {
  let sequence = 0;
  let written = "";
  let finish: string | null = null;
  const emit: Emit = (type, fields) => {
    written += `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`;
  };
  const take = () => {
    const text = written;
    written = "";
    return text;
  };
  const { ask } = answering;
  const response = newResponse(answering);
  const withLogprobs = asksLogprobs(answering.request);
  const output = outputOf(answering, emit);
  const open = () => {
    if (sequence > 0) return;
    emit("response.created", { response });
    emit("response.in_progress", { response });
  };
  return {
    record({ json }) {
      open();
      const [choice] = (parseJson(json) as { choices: { delta?: Delta; logprobs?: unknown; finish_reason?: string | null }[] }).choices;
      if (choice?.delta) addDelta(output, choice.delta, withLogprobs ? readLogprobs(choice.logprobs) : []);
      finish = choice?.finish_reason ?? finish;
      return take();
    },
    keepAlive: ": keep-alive\n\n",
    end(bill) {
      open();
      endOutput(output, isCut(finish));
      const ended = endedResponse(response, { finish, output: output.items, bill, now: context.clock() });
      emit(`response.${ended.status}`, { response: ended });
      return take();
    },
    // Clients of OpenAI raise at the first, Codex and others that read states at the second.
    interrupted() {
      open();
      const error = streamFault(context, ask);
      const { code, message, param } = error;
      emit("error", { code, message, param, error });
      emit("response.failed", { response: { ...response, status: "failed", error, output: output.items } });
      return take();
    },
  };
}

function outputOf({ ask, offered }: Answering, emit: Emit) {
  return newOutput({ emit, idTail: idTailOf(ask), callables: offered.callables });
}
