// The works that the queue was given: kept for a while, unique, and further on the more time has passed since their submit.
import { randomUUID } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Directives } from "../directive-list.ts";
import type { Failure } from "./errors.ts";
import type { MediaRequest } from "./media-request.ts";

export interface Work {
  /** The one thing that the simulator leaves to chance: work of an earlier run must not be taken for this one's. */
  id: string;
  /** Model id with its directives. */
  model: string;
  /** Owner and app, by which its addresses go. */
  app: string;
  directives: Directives;
  request: MediaRequest | Failure;
  submittedAt: number;
  isCancelled: boolean;
  /** How often its status was asked for, and how often each call failed because a directive asked for it. */
  looks: number;
  failed: { status: number; result: number; files: number[] };
}

export interface Works {
  add(given: Pick<Work, "model" | "app" | "directives" | "request">): Work;
  find(id: string): Work | undefined;
}

/** The oldest ones are forgotten first. */
const worksMax = 5000;
/** The prompts of all works together, in characters. */
const promptsMax = 16 * 1024 * 1024;
/** A work without its prompt, roughly. */
const charactersPerWork = 500;
const workMs = 30;

export function keepWorks(): Works {
  const works = new LRUCache<string, Work>({
    max: worksMax,
    maxSize: promptsMax,
    sizeCalculation: ({ request }) => charactersPerWork + ("type" in request ? 0 : request.prompt.length),
  });
  return {
    add(given) {
      const failed = { status: 0, result: 0, files: [] };
      const work: Work = { id: randomUUID(), submittedAt: performance.now(), isCancelled: false, looks: 0, failed, ...given };
      works.set(work.id, work);
      return work;
    },
    find: (id) => works.get(id),
  };
}

type Stage = "IN_QUEUE" | "IN_PROGRESS" | "COMPLETED";

/** sim-queue-N and sim-progress-N hold it back for so many looks, sim-slow-Nms for a time; both have to be over. */
export function stageOf(work: Work): Stage {
  const { directives, looks } = work;
  const waits = directives.queueLooks ?? 0;
  if (work.isCancelled) return "COMPLETED";
  if (looks < waits) return "IN_QUEUE";
  if (looks < waits + (directives.progressLooks ?? 0) || directives.jobHang) return "IN_PROGRESS";
  const elapsed = performance.now() - work.submittedAt;
  const lasts = durationMs(directives);
  if (elapsed >= lasts) return "COMPLETED";
  return elapsed < lasts / 3 && looks === 0 ? "IN_QUEUE" : "IN_PROGRESS";
}

export function durationMs(directives: Directives): number {
  return directives.slowMs ?? workMs;
}
