// The tab "Chat": columns of models, the conversation, the settings that go with every message.
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ModelRow } from "svc-sdk/functions";
import { type ReactNode, useEffect, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { AnswerView } from "./answer-view.tsx";
import { type Answer, type Chat, isOpen, mostColumns, setChat, setModels, type Turn, useChat } from "./chat-store.ts";
import { Composer } from "./composer.tsx";
import { Pictures } from "./pictures.tsx";
import { ModelChoice } from "./model-choice.tsx";
import { stopAll } from "./send.ts";
import { SettingsPanel } from "./settings-panel.tsx";
import { ShareLink } from "./share-link.tsx";
import { ViewCode } from "./view-code.tsx";

export function ChatPane({ models }: { models: readonly ModelRow[] }): ReactNode {
  const chat = useChat();
  const [code, setCode] = useState(false);
  const choose = useModels(models, chat);
  const chosen = chat.columns.map(({ model }) => model);
  const busy = chat.turns.some(({ answers }) => answers.some(({ state }) => state === "running"));
  const spare = models.find(({ id }) => !chosen.includes(id)) ?? models[0];
  return (
    <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_18rem]">
      <div className="min-w-0 space-y-4">
        <div className="flex flex-wrap items-end gap-2">
          {chat.columns.map(({ id, model }, at) => (
            <ModelChoice
              key={id}
              label={at === 0 ? "Model" : `Model ${at + 1}`}
              models={models}
              value={model}
              disabled={busy}
              onChange={(next) => choose(chosen.map((one, index) => (index === at ? next : one)))}
              onRemove={chosen.length < 2 ? undefined : () => choose(chosen.filter((_, index) => index !== at))}
            />
          ))}
          {spare !== undefined && (
            <Button disabled={busy || chosen.length >= mostColumns} onClick={() => choose([...chosen, spare.id])}>
              <Icon name="plus" /> Add model
            </Button>
          )}
        </div>
        {chat.fromLink && (
          <p className="text-quiet">
            This conversation came with a link. Nothing was sent; what you send now is charged to this workspace.
          </p>
        )}
        <Turns turns={chat.turns} models={models} />
        <Composer chat={chat} busy={busy} models={models} />
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setCode(true)}>
            <Icon name="code" /> View code
          </Button>
          <ShareLink chat={chat} disabled={busy || chat.turns.length === 0} />
          <Button kind="quiet" disabled={chat.turns.length === 0} onClick={() => (stopAll(), setChat({ turns: [], fromLink: false }))}>
            New chat
          </Button>
        </div>
      </div>
      <SettingsPanel settings={chat.settings} />
      <ViewCode chat={chat} open={code} onClose={() => setCode(false)} />
    </div>
  );
}

/** The models stand in the address; without one there it is what was chosen last, or the first. */
function useModels(models: readonly ModelRow[], { columns }: Chat): (chosen: readonly string[]) => void {
  const { models: words } = useSearch({ from: "/inside/playground" });
  const navigate = useNavigate();
  useEffect(() => {
    const asked = (words ?? "").split(",").filter((id) => models.some((model) => model.id === id));
    if (asked.length > 0) setModels(asked);
    else if (columns.length === 0 && models[0] !== undefined) setModels([models[0].id]);
  }, [words, models, columns.length]);
  return (chosen) => {
    setModels(chosen);
    void navigate({ to: "/playground", search: { models: chosen.join(",") }, replace: true });
  };
}

const widths = ["", "", "md:grid-cols-2", "md:grid-cols-3", "md:grid-cols-2"];

function Turns({ turns, models }: { turns: readonly Turn[]; models: readonly ModelRow[] }): ReactNode {
  const all = turns.flatMap(({ answers }) => answers);
  const number = (answer: Answer) => all.filter(({ column }) => column === answer.column).indexOf(answer) + 1;
  return (
    <div role="log" aria-label="Conversation" aria-live="off" className="space-y-5">
      {turns.map(({ id, text, pictures, answers }) => {
        const columns = [...new Set(answers.map(({ column }) => column))];
        return (
          <div key={id} className="space-y-3">
            <p className="ml-auto w-fit max-w-[85%] rounded-xl bg-accent-soft px-4 py-2.5 break-words whitespace-pre-wrap">{text}</p>
            <Pictures pictures={pictures} />
            <div className={`grid items-start gap-3 ${widths[columns.length] ?? ""}`}>
              {columns.map((column) => (
                <div key={column} className="min-w-0 space-y-3">
                  {answers
                    .filter((answer) => answer.column === column)
                    .map((answer) => (
                      <AnswerView
                        key={answer.id}
                        number={number(answer)}
                        answer={answer}
                        open={isOpen({ turns }, answer)}
                        asked={text}
                        model={models.find((one) => one.id === answer.model)}
                      />
                    ))}
                </div>
              ))}
            </div>
          </div>
        );
      })}
    </div>
  );
}
