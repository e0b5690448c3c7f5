// A conversation that came with a link: it opens where it belongs, in its workspace, and asks before it takes the place of another one.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ModelRow } from "svc-sdk/functions";
import { type ReactNode, useEffect } from "react";
import { setShared, useShared } from "../../lib/shared.ts";
import { enterWorkspace, workspaceQuery, workspacesQuery } from "../../lib/workspace.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Card, Loading } from "../../ui/parts.tsx";
import { isUntouched, setChat, useChat } from "./chat-store.ts";
import { stopAll } from "./send.ts";
import { chatOfCode, type Share } from "./share.ts";

export function SharedChat({ models }: { models: readonly ModelRow[] }): ReactNode {
  const code = useShared();
  const share = useQuery({
    queryKey: ["playground", "shared", code],
    queryFn: () => chatOfCode(code ?? ""),
    enabled: code !== null,
    staleTime: Infinity,
    gcTime: 0,
  });
  const workspace = useQuery(workspaceQuery);
  if (code === null) return null;
  if (share.error !== null) return <Notice text="The link has no conversation in it: it is incomplete, or comes from another console." />;
  if (workspace.error !== null) return <ErrorNote error={workspace.error} retry={() => void workspace.refetch()} />;
  if (share.data === undefined || workspace.data === undefined) return <Loading what="Reading the conversation" />;
  if (share.data.workspace !== workspace.data.id) return <Elsewhere id={share.data.workspace} />;
  return <Here share={share.data} models={models} />;
}

function Here({ share, models }: { share: Share; models: readonly ModelRow[] }): ReactNode {
  const untouched = isUntouched(useChat());
  const navigate = useNavigate();
  const open = async () => {
    stopAll();
    setShared(null);
    const columns = share.columns.map(({ id, model }) => ({
      id,
      model: models.some((one) => one.id === model) ? model : (models[0]?.id ?? ""),
    }));
    // First the address: what it says about models would replace the columns.
    await navigate({ to: "/playground", search: { models: columns.map(({ model }) => model).join(",") }, replace: true });
    setChat({ ...share, columns, draft: "", pictures: [], fromLink: true });
  };
  useEffect(() => {
    if (untouched) void open();
  });
  if (untouched) return null;
  return (
    <Notice text="Opening the linked conversation replaces the one that is here.">
      <Button kind="primary" onClick={() => void open()}>
        Open it
      </Button>
    </Notice>
  );
}

function Elsewhere({ id }: { id: string }): ReactNode {
  const { data: workspaces, error, refetch } = useQuery(workspacesQuery);
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (workspaces === undefined) return <Loading what="Looking for its workspace" />;
  const own = workspaces.find((one) => one.id === id);
  if (own === undefined) return <Notice text="The linked conversation belongs to another workspace. Only its members can open it." />;
  return (
    <Notice text={`The linked conversation belongs to another of your workspaces, ${own.name}.`}>
      <Button kind="primary" onClick={() => enterWorkspace(own.personal ? null : id)}>
        Go to that workspace
      </Button>
    </Notice>
  );
}

function Notice({ text, children }: { text: string; children?: ReactNode }): ReactNode {
  return (
    <Card title="Shared conversation">
      <div className="flex flex-wrap items-center gap-2">
        <p role="status" className="mr-auto min-w-0 break-words">
          {text}
        </p>
        {children}
        <Button onClick={() => setShared(null)}>Dismiss</Button>
      </div>
    </Card>
  );
}
