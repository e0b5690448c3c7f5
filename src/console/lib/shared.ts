// A conversation of the playground that came with a link. It leaves the address bar before anything else runs (address-bar.ts), so that no way
// back from a sign-in carries it in a query; the playground asks for it here.
import { useSyncExternalStore } from "react";
import { chat, openedChat, takeOff } from "./address-bar.ts";

let shared = openedChat();
const listeners = new Set<() => void>();

/** The link that carries it. */
export function linkWith(page: string, code: string): string {
  return `${page}#${chat}=${code}`;
}

export function useShared(): string | null {
  return useSyncExternalStore(
    (listener) => (listeners.add(listener), () => void listeners.delete(listener)),
    () => shared,
  );
}

export function setShared(code: string | null): void {
  shared = code;
  for (const listener of listeners) listener();
}

// A link that is opened where the console already runs. This listener comes before the router's, which so never sees the fragment.
window.addEventListener("popstate", () => {
  const code = takeOff(chat);
  if (code !== null) setShared(code);
});
