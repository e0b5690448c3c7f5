// Sends a message to every column at once, and writes the answers down as they come. Stopping ends the requests; what was generated until
// then is charged, and the receipt says how much.
import { type ChatRequest, createChatCompletion, getReceipt, SvcError } from "svc-sdk/functions";
import { api } from "../../lib/api.ts";
import { balanceQuery, noteSessionEnd, queries } from "../../lib/queries.ts";
import { onWorkspaceChange } from "../../lib/workspace.ts";
import { type Answer, changeAnswer, type Column, newId, readChat, setChat, type ToolCall, withResults } from "./chat-store.ts";
import { forgetKey, playgroundClient } from "./playground-key.ts";
import { requestOf } from "./request.ts";

const running = new Map<number, AbortController>();

export function stopAll(): void {
  for (const controller of running.values()) controller.abort();
}

onWorkspaceChange(stopAll);

export async function send(text: string): Promise<void> {
  const before = readChat();
  const { columns, pictures } = before;
  const answers = columns.map(freshAnswer);
  const turn = { id: newId(), text, pictures, answers };
  setChat({ turns: [...before.turns, turn], draft: "", pictures: [] });
  await Promise.all(answers.map(({ id, column, model }) => answer(id, () => requestOf(before, { id: column, model }, turn))));
  void queries.invalidateQueries({ queryKey: balanceQuery.queryKey });
}

/** Goes on with the results of its calls. */
export async function sendResults(called: Answer): Promise<void> {
  const before = withResults(readChat(), called);
  const column = { id: called.column, model: called.model };
  const next = freshAnswer(column);
  const own = ({ answers }: { answers: readonly Answer[] }) => answers.some(({ id }) => id === called.id);
  setChat({ turns: before.turns.map((turn) => (own(turn) ? { ...turn, answers: [...turn.answers, next] } : turn)) });
  await answer(next.id, () => requestOf(before, column, null));
  void queries.invalidateQueries({ queryKey: balanceQuery.queryKey });
}

function freshAnswer({ id: column, model }: Column): Answer {
  return {
    ...{ id: newId(), column, model, text: "", reasoning: "", calls: [], answered: false, state: "running", error: null },
    ...{ cost: null, requestId: null, startedAt: Date.now(), firstMs: null, wholeMs: null },
  };
}

async function answer(id: number, request: () => Promise<ChatRequest>): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  const set = (changed: (answer: Answer) => Partial<Answer>) => changeAnswer(id, changed);
  const ended = ({ startedAt }: Answer) => ({ wholeMs: Date.now() - startedAt });
  try {
    await readAnswer(await request(), { signal: controller.signal, set });
    set((now) => ({ state: "done", ...ended(now) }));
  } catch (error) {
    const stopped = controller.signal.aborted;
    set((now) => ({ state: stopped ? "stopped" : "failed", error: stopped ? null : error, ...ended(now) }));
    if (stopped) await readCost(set);
    else noteSessionEnd(error);
  } finally {
    running.delete(id);
  }
}

interface Reading {
  signal: AbortSignal;
  set: (changed: (answer: Answer) => Partial<Answer>) => void;
}

async function readAnswer(request: ChatRequest, { signal, set }: Reading): Promise<void> {
  const body = { ...request, stream: true as const };
  const ask = async () => createChatCompletion(await playgroundClient(), body, { signal }).withResponse();
  const { data: stream, requestId } = await ask().catch((error: unknown) => {
    // The key has ended before its time: once more with another one.
    if (!SvcError.is(error) || error.status !== 401 || signal.aborted) throw error;
    forgetKey();
    return ask();
  });
  set(() => ({ requestId }));
  signal.addEventListener("abort", () => stream.controller.abort());
  for await (const { choices } of stream) {
    const delta = choices[0]?.delta;
    const [more, thought] = [delta?.content ?? "", delta?.reasoning_content ?? ""];
    const called = delta?.tool_calls ?? [];
    if (more === "" && thought === "" && called.length === 0) continue;
    set((now) => ({
      text: now.text + more,
      reasoning: now.reasoning + thought,
      calls: withParts(now.calls, called),
      firstMs: now.firstMs ?? Date.now() - now.startedAt,
    }));
  }
  set(() => ({ cost: stream.cost }));
}

interface CallPart {
  index: number;
  id?: string | null | undefined;
  function?: { name?: string | null; arguments?: string | null } | undefined;
}

/** A call comes in parts: its id and name first, then its arguments piece by piece. */
function withParts(calls: readonly ToolCall[], parts: readonly CallPart[]): readonly ToolCall[] {
  let next = calls;
  for (const { index, id, function: part } of parts) {
    const known = next.find((call) => call.index === index) ?? { index, id: `call_${index}`, name: "", arguments: "", result: "" };
    const grown = {
      ...known,
      id: id ?? known.id,
      name: known.name + (part?.name ?? ""),
      arguments: known.arguments + (part?.arguments ?? ""),
    };
    next = [...next.filter((call) => call.index !== index), grown].sort((one, other) => one.index - other.index);
  }
  return next;
}

const waits = [500, 1_000, 2_000, 4_000];

/** A stopped answer is charged a moment later. */
async function readCost(set: Reading["set"]): Promise<void> {
  let requestId: string | null = null;
  set((now) => ((requestId = now.requestId), {}));
  if (requestId === null) return;
  for (const wait of waits) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    const receipt = await getReceipt(api, requestId).catch(() => null);
    if (receipt === null) continue;
    set(() => ({ cost: receipt.charge.cost_usd }));
    return;
  }
}
