// Says that the gateway does not answer; it goes away by itself.
import type { ReactNode } from "react";
import { useUnavailable } from "../lib/reach.ts";
import { Icon } from "../ui/icons.tsx";

export function UnavailableBanner(): ReactNode {
  const unavailable = useUnavailable();
  return (
    <div role="status" aria-label="Connection">
      {unavailable && (
        <p className="flex items-center gap-3 border-b border-line bg-warn-soft px-4 py-2.5 text-warn sm:px-8">
          <Icon name="alert" /> The gateway does not answer. This page tries again by itself.
        </p>
      )}
    </div>
  );
}
