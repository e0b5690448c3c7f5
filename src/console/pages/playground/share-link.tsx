// Sharing the conversation: a link that members of the workspace open. The conversation is in the link; nothing is stored.
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { count } from "../../lib/money.ts";
import { consolePath } from "../../lib/place.ts";
import { linkWith } from "../../lib/shared.ts";
import { workspaceQuery } from "../../lib/workspace.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { TextArea } from "../../ui/field.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Loading } from "../../ui/parts.tsx";
import type { Chat } from "./chat-store.ts";
import { codeOfChat, longestCode } from "./share.ts";

export function ShareLink({ chat, disabled }: { chat: Chat; disabled: boolean }): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button disabled={disabled} onClick={() => setOpen(true)}>
        <Icon name="share" /> Share
      </Button>
      <Dialog title="Share conversation" open={open} onClose={() => setOpen(false)}>
        {open && <Link chat={chat} />}
      </Dialog>
    </>
  );
}

function Link({ chat }: { chat: Chat }): ReactNode {
  const workspace = useQuery(workspaceQuery);
  const id = workspace.data?.id;
  const { data: code } = useQuery({
    queryKey: ["playground", "share", chat, id],
    queryFn: () => codeOfChat(chat, id ?? ""),
    enabled: id !== undefined,
    gcTime: 0,
  });
  if (workspace.error !== null) return <ErrorNote error={workspace.error} retry={() => void workspace.refetch()} />;
  if (code === undefined) return <Loading what="Making the link" />;
  if (code.length > longestCode)
    return (
      <p role="alert">
        The conversation is too long for a link: {count(code.length)} characters of {count(longestCode)}. Begin a new chat with what you
        want to share.
      </p>
    );
  const link = linkWith(`${location.origin}${consolePath}/playground`, code);
  return (
    <div className="space-y-4">
      <p>
        Members of <strong className="font-medium break-words">{workspace.data?.name}</strong> open it in their playground. Nothing is sent
        to a model by that.
      </p>
      <TextArea label="Link" mono rows={4} readOnly value={link} onFocus={({ target }) => target.select()} />
      <p className="text-quiet">
        The conversation itself is in the link: its messages, its answers, the parameters. The gateway stores none of it.
        {chat.turns.some(({ pictures }) => pictures.length > 0) && " Pictures are left out."}
      </p>
      <CopyButton text={link} label="Copy link" />
    </div>
  );
}
