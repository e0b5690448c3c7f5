// What was asked for in the media tabs and what came of it: in memory, beside the page, so that it is still there after a look at another one.
import { useSyncExternalStore } from "react";
import { onWorkspaceChange } from "../../../lib/workspace.ts";
import { newId } from "../chat-store.ts";
import type { MediaTab, Values } from "./kinds.ts";

export interface MadeFile {
  url: string;
  width: number;
  height: number;
}

export type Result =
  | { kind: "images"; files: readonly MadeFile[] }
  | { kind: "video"; file: MadeFile; seconds: number }
  | { kind: "sound"; url: string; type: string }
  | { kind: "text"; text: string; segments: readonly { start: number; text: string }[]; language: string; seconds: number };

export interface MediaRun {
  id: number;
  tab: MediaTab;
  model: string;
  /** What was asked for, in short. */
  title: string;
  state: "running" | "done" | "stopped" | "failed";
  /** How far it is, in words. */
  progress: string;
  error: unknown;
  /** Why a job failed, as it says. */
  reason: string | null;
  cost: number | null;
  requestId: string | null;
  /** Of a job: it goes on without the page. */
  jobId: string | null;
  startedAt: number;
  wholeMs: number | null;
  result: Result | null;
}

interface Media {
  runs: readonly MediaRun[];
  values: Readonly<Partial<Record<MediaTab, Values>>>;
  models: Readonly<Partial<Record<MediaTab, string>>>;
}

/** Of each tab; older ones are let go. Their receipts stay in the logs. */
const mostRuns = 20;
const empty: Media = { runs: [], values: {}, models: {} };
let media = empty;
const listeners = new Set<() => void>();

function set(changed: Partial<Media>): void {
  media = { ...media, ...changed };
  for (const listener of listeners) listener();
}

export function useMedia(): Media {
  return useSyncExternalStore(
    (listener) => (listeners.add(listener), () => void listeners.delete(listener)),
    () => media,
  );
}

export function setValues(tab: MediaTab, changed: Values): void {
  set({ values: { ...media.values, [tab]: { ...media.values[tab], ...changed } } });
}

export function setMediaModel(tab: MediaTab, model: string): void {
  set({ models: { ...media.models, [tab]: model } });
}

export function addRun(run: Pick<MediaRun, "tab" | "model" | "title">): MediaRun {
  const added: MediaRun = { ...run, ...fresh, id: newId(), startedAt: Date.now() };
  const dropped = media.runs.filter(({ tab, state }) => tab === run.tab && state !== "running").slice(mostRuns - 1);
  for (const { result } of dropped) if (result?.kind === "sound") URL.revokeObjectURL(result.url);
  set({ runs: [added, ...media.runs.filter((one) => !dropped.includes(one))] });
  return added;
}

const fresh: Omit<MediaRun, "tab" | "model" | "title" | "id" | "startedAt"> = {
  ...{
    state: "running",
    progress: "Sent",
    error: null,
    reason: null,
    cost: null,
    requestId: null,
    jobId: null,
    wholeMs: null,
    result: null,
  },
};

export function changeRun(id: number, changed: Partial<MediaRun>): void {
  set({ runs: media.runs.map((run) => (run.id === id ? { ...run, ...changed } : run)) });
}

export function readRun(id: number): MediaRun | undefined {
  return media.runs.find((run) => run.id === id);
}

// Nothing of one workspace is shown in another.
onWorkspaceChange(() => {
  for (const { result } of media.runs) if (result?.kind === "sound") URL.revokeObjectURL(result.url);
  set(empty);
});
