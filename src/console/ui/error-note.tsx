// An error as the gateway says it: the catalogue's text, what to do about it, and the id of the request to copy.
import { useQuery } from "@tanstack/react-query";
import { listErrors, SvcError } from "svc-sdk/functions";
import type { ReactNode } from "react";
import { api } from "../lib/api.ts";
import { gatewayUrl } from "../lib/place.ts";
import { Button } from "./button.tsx";
import { CopyIcon } from "./copy.tsx";
import { Icon } from "./icons.tsx";

/** What the gateway could not say itself. */
const local: Record<string, string> = {
  connection_failed: "The gateway did not answer. Check your connection; it may be restarting. Try again in a moment.",
  timeout: "The gateway took too long to answer. Try again in a moment.",
  unexpected_answer: "The answer did not come from the gateway, but from something in between. Try again in a moment.",
};

function useFix(code: string | null): string | null {
  const { data } = useQuery({
    queryKey: ["errors"],
    queryFn: () => listErrors(api).then((list) => list.data),
    staleTime: Infinity,
    enabled: code !== null,
  });
  return data?.find((row) => row.code === code)?.fix ?? null;
}

export function ErrorNote({ error, retry }: { error: unknown; retry?: (() => void) | undefined }): ReactNode {
  const known = SvcError.is(error) ? error : null;
  const fix = useFix(known?.status == null ? null : known.code);
  if (error === null || error === undefined) return null;
  const text = known === null ? "Something went wrong on this page. Reload it." : (local[known.code] ?? sayingOf(known));
  return (
    <div role="alert" className="flex gap-3 rounded-lg border border-bad/40 bg-bad-soft p-4 text-sm">
      <span className="mt-0.5 text-bad">
        <Icon name="alert" />
      </span>
      <div className="min-w-0 flex-1 space-y-1.5">
        <p className="font-medium break-words">{text}</p>
        {fix !== null && fix !== text && <p className="break-words">{fix}</p>}
        {known !== null && <ErrorFacts error={known} />}
        {retry !== undefined && <Button onClick={retry}>Try again</Button>}
      </div>
    </div>
  );
}

/** The SDK's message names the status, the code and the request as well, which stand below it here. */
function sayingOf({ message, status, code, requestId }: SvcError): string {
  return message.replace(`${status ?? ""} ${code}: `, "").replace(` (${requestId ?? "no id"})`, "");
}

function ErrorFacts({ error }: { error: SvcError }): ReactNode {
  const { code, requestId, status } = error;
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-text">
      {status !== null && (
        <a className="font-mono text-xs underline" href={`${gatewayUrl}/docs/errors/${encodeURIComponent(code)}`}>
          {code}
        </a>
      )}
      {requestId !== null && (
        <span className="flex min-w-0 items-center gap-1 font-mono text-xs break-all">
          {requestId} <CopyIcon text={requestId} what="request id" />
        </span>
      )}
    </p>
  );
}
