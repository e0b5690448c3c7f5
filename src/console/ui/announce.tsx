// Short notices of what was done, at the edge of the page and for readers of the page.
import { type ReactNode, useSyncExternalStore } from "react";

interface Notice {
  id: number;
  text: string;
}
let notices: readonly Notice[] = [];
let next = 1;
const listeners = new Set<() => void>();
const shownMs = 5_000;

function set(changed: readonly Notice[]): void {
  notices = changed;
  for (const listener of listeners) listener();
}

export function announce(text: string): void {
  const notice = { id: next++, text };
  set([...notices.slice(-2), notice]);
  setTimeout(() => set(notices.filter(({ id }) => id !== notice.id)), shownMs);
}

export function Announcements(): ReactNode {
  const shown = useSyncExternalStore(
    (listener) => (listeners.add(listener), () => void listeners.delete(listener)),
    () => notices,
  );
  return (
    <div role="status" aria-live="polite" className="fixed right-4 bottom-4 left-4 z-50 flex flex-col items-end gap-2 pointer-events-none">
      {shown.map(({ id, text }) => (
        <p key={id} className="max-w-md rounded-lg border border-line bg-panel px-4 py-2.5 shadow-high">
          {text}
        </p>
      ))}
    </div>
  );
}
