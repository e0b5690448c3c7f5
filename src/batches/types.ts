// What the work on batches needs of the rest of the gateway. Types only.
import type { Context } from "../context.ts";
import type { LineReply, LineRequest } from "../operation.ts";

/** Answers a request as its endpoint would. Never rejects. */
export type AnswerLine = (request: LineRequest) => Promise<LineReply>;

export interface BatchTimes {
  /** How often a process looks for batches. */
  lookMs: number;
  leaseMs: number;
  /** Before a line that failed for a moment is tried again, doubled each time. */
  pauseMs: number;
}

export interface BatchParts extends Pick<Context, "db" | "clock" | "media" | "log"> {
  /** Of this process. */
  owner: string;
  answer: AnswerLine;
  onFault: (error: unknown, what: string) => void;
  times: BatchTimes;
}
