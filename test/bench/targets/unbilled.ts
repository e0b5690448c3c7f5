// A target of one process that keeps no money: the reference and the peers.
import { type Child, endChild } from "../processes.ts";
import type { Running } from "./types.ts";

export function unbilled(name: string, url: string, child: Child, own: Partial<Running> = {}): Running {
  const none = { logFile: null, headers: {}, keys: [], ledger: null };
  return { name, owner: name, url, pids: () => [child.pid], ...none, stop: () => endChild(child.process), ...own };
}
