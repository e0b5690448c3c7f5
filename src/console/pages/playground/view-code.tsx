// The code that makes the same call: with the settings, the conversation so far, tool calls and their results, and what is being written.
import { Tabs } from "@base-ui/react/tabs";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { CopyButton } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Select } from "../../ui/field.tsx";
import { Loading } from "../../ui/parts.tsx";
import type { Chat } from "./chat-store.ts";
import { codeOf, type Sample } from "./code.ts";
import { nextRequest } from "./request.ts";

export function ViewCode({ chat, open, onClose }: { chat: Chat; open: boolean; onClose: () => void }): ReactNode {
  return (
    <Dialog title="View code" side open={open} onClose={onClose}>
      {open && <Code chat={chat} />}
    </Dialog>
  );
}

function Code({ chat }: { chat: Chat }): ReactNode {
  const [chosen, setChosen] = useState(0);
  const column = chat.columns[chosen] ?? { id: 0, model: "" };
  const { data, error } = useQuery({ queryKey: ["playground", "code", chat, column], queryFn: () => nextRequest(chat, column), gcTime: 0 });
  return (
    <div className="space-y-4">
      {chat.columns.length > 1 && (
        <Select
          label="Code for"
          value={chosen}
          choices={chat.columns.map(({ model }, at) => ({ value: String(at), label: model }))}
          onChange={(event) => setChosen(Number(event.target.value))}
        />
      )}
      {error !== null && <p role="alert">{error.message}</p>}
      {data === undefined && error === null && <Loading what="Writing the code" />}
      {data !== undefined && <CodeTabs samples={codeOf(data)} />}
    </div>
  );
}

export function CodeDialog({ samples, onClose }: { samples: readonly Sample[] | null; onClose: () => void }): ReactNode {
  return (
    <Dialog title="View code" side open={samples !== null} onClose={onClose}>
      {samples !== null && <CodeTabs samples={samples} />}
    </Dialog>
  );
}

function CodeTabs({ samples }: { samples: readonly Sample[] }): ReactNode {
  return (
    <Tabs.Root defaultValue="curl">
      <Tabs.List className="mb-3 flex gap-1 border-b border-line">
        {samples.map(({ name }) => (
          <Tabs.Tab
            key={name}
            value={name}
            className="-mb-px border-b-2 border-transparent px-3 py-2 text-quiet data-active:border-accent data-active:font-medium data-active:text-text"
          >
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {samples.map(({ name, code }) => (
        <Tabs.Panel key={name} value={name} className="space-y-3">
          <pre
            tabIndex={0}
            aria-label={`Code, ${name}`}
            className="overflow-x-auto rounded-lg bg-sunken p-4 font-mono text-xs leading-relaxed"
          >
            {code}
          </pre>
          <CopyButton text={code} />
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
