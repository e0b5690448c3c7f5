// Whether the gateway can be reached. While it can't, it is asked again and again, for no more than one answer; then what failed is read anew.
import { useSyncExternalStore } from "react";
import { getSession, SvcError } from "svc-sdk/functions";
import { api } from "./api.ts";

let unavailable = false;
let whenBack = (): void => undefined;
const listeners = new Set<() => void>();
const askAgainMs = 3_000;

/** `back` reads anew what failed. */
export function onBack(back: () => void): void {
  whenBack = back;
}

export function useUnavailable(): boolean {
  return useSyncExternalStore(
    (listener) => (listeners.add(listener), () => void listeners.delete(listener)),
    () => unavailable,
  );
}

export function noteUnavailable(error: unknown): void {
  if (SvcError.is(error, "connection_failed")) beginOutage();
}

function beginOutage(): void {
  if (unavailable) return;
  set(true);
  void untilBack().then(() => (set(false), whenBack()));
}

function set(next: boolean): void {
  unavailable = next;
  for (const listener of listeners) listener();
}

async function untilBack(): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, askAgainMs));
    const error = await getSession(api, { maxRetries: 0, timeout: 10_000 }).then(
      () => null,
      (fault: unknown) => fault,
    );
    // A refusal is an answer, too.
    if (error === null || (SvcError.is(error) && error.status !== null && ![502, 503, 504].includes(error.status))) return;
  }
}

const name = "console-reloaded";
const calmMs = 60_000;

/** Once a minute at most, so that a page that never loads is not loaded for ever. */
export function mayReload(): boolean {
  try {
    if (Date.now() - Number(sessionStorage.getItem(name) ?? 0) < calmMs) return false;
    sessionStorage.setItem(name, String(Date.now()));
    return true;
  } catch {
    return false;
  }
}

// A page's own file that did not come: the gateway is unavailable, or was replaced by a newer one with other files.
window.addEventListener("vite:preloadError", beginOutage);
window.addEventListener("offline", beginOutage);
