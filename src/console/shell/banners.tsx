// What stands above every page: that the gateway does not answer, which goes away by itself, and what the operator tells everyone.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { authOptionsQuery } from "../lib/queries.ts";
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

/** Caches keep the answer for a minute more. */
const noticeMs = 4 * 60_000;

export function NoticeBanner(): ReactNode {
  const notice = useQuery({ ...authOptionsQuery, refetchInterval: noticeMs }).data?.notice ?? null;
  return (
    <div role="status" aria-label="Notice">
      {notice !== null && <p className="border-b border-line bg-accent-soft px-4 py-2.5 break-words text-accent sm:px-8">{notice}</p>}
    </div>
  );
}
