// Sends a message to every column at once, and writes the answers down as they come. Stopping ends the requests; what was generated until
// then is charged, and the receipt says how much.
import { createChatCompletion, getReceipt, SvcError } from "svc-sdk/functions";
import { api } from "../../lib/api.ts";
import { balanceQuery, noteSessionEnd, queries } from "../../lib/queries.ts";
import { type Answer, type Chat, changeAnswer, type Column, newId, readChat, setChat, type ToolCall, type Turn } from "./chat-store.ts";
import { forgetKey, playgroundClient } from "./playground-key.ts";
import { requestOf } from "./request.ts";

const running = new Map<number, AbortController>();

export function stopAll(): void {
  for (const controller of running.values()) controller.abort();
}

export async function send(text: string): Promise<void> {
  const before = readChat();
  const message = { text, pictures: before.pictures };
  const turn = newId();
  const answers = before.columns.map(({ id, model }) => ({ ...fresh, column: id, model, startedAt: Date.now() }));
  setChat({ turns: [...before.turns, { id: turn, ...message, answers }], draft: "", pictures: [] });
  await Promise.all(before.columns.map((column) => answer(before, column, turn, message)));
  void queries.invalidateQueries({ queryKey: balanceQuery.queryKey });
}

const fresh: Omit<Answer, "column" | "model" | "startedAt"> = {
  ...{ text: "", reasoning: "", calls: [], state: "running", error: null, cost: null, requestId: null, firstMs: null, wholeMs: null },
};

async function answer(before: Chat, column: Column, turn: number, message: Message): Promise<void> {
  const controller = new AbortController();
  const id = newId();
  running.set(id, controller);
  const set = (changed: (answer: Answer) => Partial<Answer>) => changeAnswer(turn, column.id, changed);
  const ended = ({ startedAt }: Answer) => ({ wholeMs: Date.now() - startedAt });
  try {
    await readAnswer(before, column, message, { signal: controller.signal, set });
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

type Message = Pick<Turn, "text" | "pictures">;

interface Reading {
  signal: AbortSignal;
  set: (changed: (answer: Answer) => Partial<Answer>) => void;
}

async function readAnswer(before: Chat, { id, model }: Column, message: Message, { signal, set }: Reading): Promise<void> {
  const body = { ...(await requestOf(before, model, id, message)), stream: true as const };
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
  function?: { name?: string | null; arguments?: string | null } | undefined;
}

/** A call comes in parts: its name first, then its arguments piece by piece. */
function withParts(calls: readonly ToolCall[], parts: readonly CallPart[]): readonly ToolCall[] {
  if (parts.length === 0) return calls;
  const next = [...calls];
  for (const { index, function: part } of parts) {
    const known = next[index] ?? { name: "", arguments: "" };
    next[index] = { name: known.name + (part?.name ?? ""), arguments: known.arguments + (part?.arguments ?? "") };
  }
  // Without the gaps that a stream may leave.
  return next.filter(() => true);
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
