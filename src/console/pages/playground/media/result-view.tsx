// One run of a media tab: how far it is, what came, what it cost. Pictures and players show the gateway's own files alone.
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { none, usd } from "../../../lib/money.ts";
import { duration } from "../../../lib/time.ts";
import { Button, buttonClass } from "../../../ui/button.tsx";
import { CopyIcon } from "../../../ui/copy.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { Icon } from "../../../ui/icons.tsx";
import { Badge } from "../../../ui/parts.tsx";
import type { MediaRun, Result } from "./media-store.ts";
import { lookAgain, stopRun } from "./run.ts";

/** `turn`: from 1, so that each region has a name of its own. */
export function RunView({ run, name, turn }: { run: MediaRun; name: string; turn: number }): ReactNode {
  const { model, title, state, progress, error, reason, result, jobId } = run;
  const again = useMutation({ mutationFn: () => lookAgain(run) });
  return (
    <section
      aria-label={turn === 1 ? model : `${model}, answer ${turn}`}
      aria-busy={state === "running"}
      className="min-w-0 space-y-3 rounded-xl border border-line bg-panel p-4 shadow-card"
    >
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 text-sm font-semibold break-words">{name}</h2>
        {state === "running" && <Badge tone="accent">{progress}</Badge>}
        {state === "stopped" && <Badge tone="warn">Stopped</Badge>}
        {state === "failed" && <Badge tone="bad">Failed</Badge>}
        {state === "running" && (
          <span className="ml-auto">
            <Button onClick={() => stopRun(run.id)}>
              <Icon name="stop" /> Stop
            </Button>
          </span>
        )}
      </div>
      <p className="line-clamp-3 break-words whitespace-pre-wrap text-quiet">{title}</p>
      {state === "running" && <div aria-hidden="true" className="h-1.5 animate-pulse rounded-full bg-accent" />}
      {state === "stopped" && jobId !== null && (
        <div className="flex flex-wrap items-center gap-3">
          <p className="text-quiet">The gateway finishes the job, and charges it if it succeeds.</p>
          <Button busy={again.isPending} onClick={() => again.mutate()}>
            Wait again
          </Button>
        </div>
      )}
      {reason !== null && <p role="alert">{`${reason} Nothing is charged.`}</p>}
      <ErrorNote error={error} />
      {result !== null && <Shown result={result} title={title} />}
      <Measures run={run} />
    </section>
  );
}

function Shown({ result, title }: { result: Result; title: string }): ReactNode {
  if (result.kind === "images")
    return (
      <ul className="grid gap-3 sm:grid-cols-2">
        {result.files.map(({ url, width, height }, at) => (
          <li key={url} className="space-y-2">
            <img
              src={url}
              width={width}
              height={height}
              alt={result.files.length === 1 ? title : `${title} (${at + 1})`}
              className="h-auto w-full rounded-lg border border-line bg-sunken"
            />
            <Saved url={url} text={`${width} × ${height}`} />
          </li>
        ))}
      </ul>
    );
  if (result.kind === "video")
    return (
      <div className="space-y-2">
        <video controls preload="metadata" src={result.file.url} aria-label={title} className="max-h-[70vh] w-full rounded-lg bg-sunken" />
        <Saved url={result.file.url} text={`${result.file.width} × ${result.file.height}, ${result.seconds} s`} />
      </div>
    );
  if (result.kind === "sound") {
    const played = /mpeg|mp3|wav/.test(result.type);
    return (
      <div className="space-y-2">
        {played && <audio controls src={result.url} aria-label={title} className="w-full" />}
        <Saved url={result.url} text={result.type} name={played ? "sound.mp3" : "sound.raw"} />
      </div>
    );
  }
  return <Transcript result={result} />;
}

function Saved({ url, text, name = "" }: { url: string; text: string; name?: string }): ReactNode {
  return (
    <p className="figures flex flex-wrap items-center gap-3 text-xs text-quiet">
      <a href={url} download={name} className={buttonClass()}>
        <Icon name="download" /> Save
      </a>
      {text}
    </p>
  );
}

function Transcript({ result: { text, segments, language, seconds } }: { result: Extract<Result, { kind: "text" }> }): ReactNode {
  return (
    <div className="space-y-3">
      <p className="flex items-start gap-2">
        <span className="min-w-0 flex-1 break-words whitespace-pre-wrap">{text}</span>
        <CopyIcon text={text} what="transcript" />
      </p>
      {segments.length > 0 && (
        <details>
          <summary className="text-xs text-quiet">
            {segments.length} {segments.length === 1 ? "segment" : "segments"}, {language}, {seconds.toFixed(1)} s
          </summary>
          <ol className="mt-2 max-h-72 space-y-1 overflow-y-auto" tabIndex={0} aria-label="Segments">
            {segments.map(({ start, text: said }, at) => (
              <li key={at} className="flex gap-3">
                <span className="figures w-14 shrink-0 text-right text-xs text-quiet">{start.toFixed(1)} s</span>
                <span className="min-w-0 break-words">{said}</span>
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}

function Measures({ run: { state, cost, requestId, wholeMs } }: { run: MediaRun }): ReactNode {
  return (
    <p className="figures flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line pt-2 text-xs text-quiet">
      <span>
        Cost <strong className="font-medium text-text">{usd(cost)}</strong>
      </span>
      <span>Whole {wholeMs === null ? none : duration(wholeMs)}</span>
      {requestId !== null && state === "done" && (
        <Link to="/logs" search={{ request: requestId }} className="ml-auto text-accent hover:underline">
          Receipt
        </Link>
      )}
    </p>
  );
}
