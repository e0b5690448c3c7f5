// Playground: every kind of model can be tried, each answer with what it cost. A tab for each kind; the tab is in the address.
import { Tabs } from "@base-ui/react/tabs";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { callableFirst, useHasCredits } from "../../lib/prices.ts";
import { modelsQuery } from "../../lib/queries.ts";
import { RoleNote } from "../../shell/role-note.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Loading, Page } from "../../ui/parts.tsx";
import { ChatPane } from "./chat-pane.tsx";
import { kinds, tabs } from "./media/kinds.ts";
import { MediaPane } from "./media/media-pane.tsx";
import { SharedChat } from "./shared-chat.tsx";

const tabClass =
  "-mb-px border-b-2 border-transparent px-3 py-2 whitespace-nowrap text-quiet data-active:border-accent data-active:font-medium data-active:text-text";

export function Playground(): ReactNode {
  const { data: all, error, refetch } = useQuery(modelsQuery);
  const hasCredits = useHasCredits();
  const data = useMemo(
    () => (all === undefined || hasCredits === undefined ? undefined : callableFirst(all, hasCredits)),
    [all, hasCredits],
  );
  const { tab: word, models: chosen } = useSearch({ from: "/inside/playground" });
  const navigate = useNavigate();
  const tab = tabs.find((one) => one === word) ?? "chat";
  const choose = (next: unknown) => {
    const search = { ...(chosen === undefined ? {} : { models: chosen }), ...(next === "chat" ? {} : { tab: String(next) }) };
    void navigate({ to: "/playground", search, replace: true });
  };
  return (
    <Page title="Playground" about="Try models, several side by side. An answer costs as much as the same call with a key.">
      <RoleNote right="keys" what="call models" />
      <ErrorNote error={error} retry={() => void refetch()} />
      {data === undefined && error === null && <Loading what="Loading the models" />}
      {data !== undefined && <SharedChat models={data.filter(({ type }) => type === "language")} />}
      {data !== undefined && (
        <Tabs.Root value={tab} onValueChange={choose} className="space-y-5">
          <Tabs.List className="flex gap-1 overflow-x-auto border-b border-line">
            <Tabs.Tab value="chat" className={tabClass}>
              Chat
            </Tabs.Tab>
            {tabs.map((one) => (
              <Tabs.Tab key={one} value={one} className={tabClass}>
                {kinds[one].label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="chat">
            <ChatPane models={data.filter(({ type }) => type === "language")} />
          </Tabs.Panel>
          {tabs.map((one) => (
            <Tabs.Panel key={one} value={one}>
              <MediaPane kind={kinds[one]} models={data.filter(kinds[one].serves)} />
            </Tabs.Panel>
          ))}
        </Tabs.Root>
      )}
    </Page>
  );
}
