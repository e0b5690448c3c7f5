// A conversation of the playground that came with a link: behind the #, which browsers never send. It leaves the address bar before anything
// else runs, so that no way back from a sign-in carries it in a query; the playground asks for it here.
import { useSyncExternalStore } from "react";

const name = "chat";
let shared = takeOff();
const listeners = new Set<() => void>();

/** The link that carries it. */
export function linkWith(page: string, code: string): string {
  return `${page}#${name}=${code}`;
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

function takeOff(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get(name);
  if (code !== null) history.replaceState(history.state, "", location.pathname + location.search);
  return code;
}

// A link that is opened where the console already runs. This listener comes before the router's, which so never sees the fragment.
window.addEventListener("popstate", () => {
  const code = takeOff();
  if (code !== null) setShared(code);
});
