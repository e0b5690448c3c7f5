// The message, and sending and stopping it. Enter sends, with Shift it begins a line.
import { useMutation } from "@tanstack/react-query";
import type { ModelRow } from "svc-sdk/functions";
import { type FormEvent, type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import { useMay } from "../../lib/rights.ts";
import { Button } from "../../ui/button.tsx";
import { controlClass } from "../../ui/field.tsx";
import { Icon } from "../../ui/icons.tsx";
import { type Chat, setChat } from "./chat-store.ts";
import { AddPictures, Pictures } from "./pictures.tsx";
import { send, stopAll } from "./send.ts";

export function Composer({ chat, busy, models }: { chat: Chat; busy: boolean; models: readonly ModelRow[] }): ReactNode {
  const id = useId();
  const ask = useMutation({ mutationFn: send });
  const may = useMay("keys") !== false;
  const ready = may && !busy && chat.draft.trim() !== "" && models.length > 0;
  const blind = models.find(({ id: model, supports_vision }) => !supports_vision && chat.columns.some((column) => column.model === model));
  const box = useRef<HTMLTextAreaElement>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    ask.mutate(chat.draft);
    // The button is off now and has no focus. A phone's keyboard, which the focus would bring, hides the answer.
    if (matchMedia("(pointer: fine)").matches) box.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // While an input method composes a word, Enter chooses it.
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
  };
  return (
    <form onSubmit={submit} className="space-y-2 rounded-xl border border-line bg-panel p-3 shadow-card">
      <label htmlFor={id} className="block text-sm font-medium">
        Message
      </label>
      <textarea
        ref={box}
        id={id}
        rows={3}
        value={chat.draft}
        onChange={(event) => setChat({ draft: event.target.value })}
        onKeyDown={onKeyDown}
        className={controlClass}
      />
      <Pictures pictures={chat.pictures} onRemove={(gone) => setChat({ pictures: chat.pictures.filter((one) => one !== gone) })} />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <AddPictures pictures={chat.pictures} blind={blind?.name} />
        {busy && (
          <Button onClick={stopAll}>
            <Icon name="stop" /> Stop
          </Button>
        )}
        <Button type="submit" kind="primary" disabled={!ready}>
          <Icon name="send" /> Send
        </Button>
      </div>
    </form>
  );
}
