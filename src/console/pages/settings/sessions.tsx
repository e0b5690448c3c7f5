// Where the person is signed in, and ending that.
import { useMutation, useQuery } from "@tanstack/react-query";
import { endOtherSessions, endSession, listSessions, type OpenSession } from "svc-sdk/functions";
import type { ReactNode } from "react";
import { api, change } from "../../lib/api.ts";
import { none } from "../../lib/money.ts";
import { queries } from "../../lib/queries.ts";
import { ago, when } from "../../lib/time.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Badge, Loading } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";

const reload = () => queries.invalidateQueries({ queryKey: ["sessions"] });

export function Sessions(): ReactNode {
  const { data, error, refetch } = useQuery({ queryKey: ["sessions"], queryFn: () => listSessions(api, { limit: 100 }) });
  const end = useMutation({
    mutationFn: ({ id }: OpenSession) => change(() => endSession(api, id)),
    onSuccess: () => (announce("The session has ended."), reload()),
  });
  const endOthers = useMutation({
    mutationFn: () => change(() => endOtherSessions(api)),
    onSuccess: () => (announce("Every other session has ended."), reload()),
  });
  const actions: Column<OpenSession> = {
    name: "Actions",
    hidden: true,
    right: true,
    cell: (session) =>
      session.current ? null : (
        <Button
          kind="quiet"
          disabled={end.isPending}
          onClick={() => end.mutate(session)}
          aria-label={`End session of ${programOf(session)}`}
        >
          End
        </Button>
      ),
  };
  const others = data?.data.some(({ current }) => !current) ?? false;
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="font-medium">Sessions</p>
        <Button disabled={!others} busy={endOthers.isPending} onClick={() => endOthers.mutate()}>
          End other sessions
        </Button>
      </div>
      <ErrorNote error={error ?? end.error ?? endOthers.error} retry={error === null ? undefined : () => void refetch()} />
      {data === undefined && error === null && <Loading what="Loading the sessions" />}
      {data !== undefined && <Table name="Sessions" rows={data.data} idOf={({ id }) => id} columns={[...columns, actions]} />}
      {data?.has_more === true && <p className="text-quiet">There are older sessions that are not shown.</p>}
    </div>
  );
}

/** What the browser or program calls itself, in two words where it is known. */
function programOf({ user_agent }: OpenSession): string {
  const text = user_agent ?? "";
  const browser = /\b(Edg|OPR|Firefox|Chrome|Safari)\b/.exec(text)?.[1];
  const system = /\b(Windows|Android|iPhone|iPad|Mac OS X|Linux)\b/.exec(text)?.[1];
  if (browser === undefined) return text === "" ? "an unknown program" : text.slice(0, 60);
  const names: Record<string, string> = { Edg: "Edge", OPR: "Opera" };
  return `${names[browser] ?? browser}${system === undefined ? "" : ` on ${system}`}`;
}

const columns: readonly Column<OpenSession>[] = [
  {
    name: "Program",
    cell: (session) => (
      <span title={session.user_agent ?? undefined} className="flex flex-wrap items-center gap-2 break-words">
        {programOf(session)} {session.current && <Badge tone="accent">This one</Badge>}
      </span>
    ),
  },
  { name: "Address", cell: ({ address }) => <span className="font-mono text-xs">{address ?? none}</span> },
  { name: "Signed in", right: true, cell: ({ created_at }) => when(created_at) },
  { name: "Last used", right: true, cell: ({ last_used_at }) => <span title={when(last_used_at)}>{ago(last_used_at)}</span> },
];
