// Webhooks: where the workspace's notices are posted to, and what may be done with each endpoint.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { deleteWebhook, listWebhooks, testWebhook, updateWebhook, type WebhookEndpoint } from "svc-sdk/functions";
import { type ReactNode, useState } from "react";
import { api, change } from "../../lib/api.ts";
import { queries } from "../../lib/queries.ts";
import { mayManage, workspaceQuery } from "../../lib/workspace.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Card, Empty, Loading } from "../../ui/parts.tsx";
import { Deliveries } from "./webhook-deliveries.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import { RollWebhook } from "./webhook-secret.tsx";
import { WebhookTable } from "./webhook-table.tsx";

const reload = () => queries.invalidateQueries({ queryKey: ["webhooks"] });

export function Webhooks(): ReactNode {
  const { data: workspace } = useQuery(workspaceQuery);
  // Others may not read them.
  const manages = mayManage(workspace?.role);
  const { data, error, refetch } = useQuery({
    queryKey: ["webhooks"],
    queryFn: () => listWebhooks(api).then((list) => list.data),
    enabled: manages,
  });
  const [form, setForm] = useState<WebhookEndpoint | "new" | null>(null);
  if (!manages) return null;
  return (
    <Card title="Webhooks" flush actions={<Button onClick={() => setForm("new")}>Add endpoint</Button>}>
      {error !== null && (
        <div className="p-5">
          <ErrorNote error={error} retry={() => void refetch()} />
        </div>
      )}
      {data === undefined && error === null && <Loading what="Loading the webhooks" />}
      {data?.length === 0 && <Empty title="No endpoints yet">Add a URL, and this workspace's notices are posted to it, signed.</Empty>}
      {data !== undefined && data.length > 0 && <Endpoints endpoints={data} onEdit={setForm} />}
      <WebhookForm of={form} onClose={() => (setForm(null), void reload())} />
    </Card>
  );
}

interface EndpointsProps {
  endpoints: readonly WebhookEndpoint[];
  onEdit: (endpoint: WebhookEndpoint) => void;
}

function Endpoints({ endpoints, onEdit }: EndpointsProps): ReactNode {
  const { webhook } = useSearch({ from: "/inside/settings" });
  const navigate = useNavigate();
  const show = (id?: string) => void navigate({ to: "/settings", search: id === undefined ? {} : { webhook: id }, resetScroll: false });
  const [rolling, setRolling] = useState<WebhookEndpoint | null>(null);
  const [deleting, setDeleting] = useState<WebhookEndpoint | null>(null);
  const toggle = useMutation({
    mutationFn: ({ id, enabled }: WebhookEndpoint) => change(() => updateWebhook(api, id, { enabled: !enabled })),
    onSuccess: ({ enabled }) => (announce(`The endpoint is ${enabled ? "enabled" : "disabled"}.`), reload()),
  });
  const test = useMutation({
    mutationFn: ({ id }: WebhookEndpoint) => change(() => testWebhook(api, id)),
    onSuccess: (_, { id }) => (announce("A test is on its way."), show(id)),
  });
  const remove = useMutation({
    mutationFn: ({ id }: WebhookEndpoint) => change(() => deleteWebhook(api, id)),
    onSuccess: () => (announce("The endpoint is deleted."), setDeleting(null), reload()),
  });
  const failed = toggle.error ?? test.error;
  return (
    <>
      {failed !== null && (
        <div className="p-5">
          <ErrorNote error={failed} />
        </div>
      )}
      <WebhookTable
        endpoints={endpoints}
        onOpen={({ id }) => show(id)}
        onTest={(one) => test.mutate(one)}
        onEdit={onEdit}
        onToggle={(one) => toggle.mutate(one)}
        onRoll={setRolling}
        onDelete={(one) => (remove.reset(), setDeleting(one))}
      />
      <Deliveries of={endpoints.find(({ id }) => id === webhook) ?? null} onClose={() => show()} />
      <RollWebhook of={rolling} onClose={() => (setRolling(null), void reload())} />
      <Confirm
        action="Delete endpoint"
        open={deleting !== null}
        busy={remove.isPending}
        error={remove.error}
        onClose={() => setDeleting(null)}
        onConfirm={() => deleting !== null && remove.mutate(deleting)}
      >
        <p>
          Nothing is posted to <strong className="break-all">{deleting?.url}</strong> from then on, and the log of its deliveries is
          deleted. This cannot be undone.
        </p>
      </Confirm>
    </>
  );
}
