// Copies a text, and says that it did.
import { type ReactNode, useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { Icon } from "./icons.tsx";

function useCopy(text: string): { copied: boolean; copy: () => void } {
  const [copied, setCopied] = useState(false);
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => (setCopied(true), setTimeout(() => setCopied(false), 2_000)),
      () => undefined, // a browser that forbids it: the text can be marked by hand
    );
  return { copied, copy };
}

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }): ReactNode {
  const { copied, copy } = useCopy(text);
  return (
    <Button onClick={copy}>
      <Icon name={copied ? "check" : "copy"} />
      {copied ? "Copied" : label}
    </Button>
  );
}

/** Beside an id or a code. `what` is what it copies. */
export function CopyIcon({ text, what }: { text: string; what: string }): ReactNode {
  const { copied, copy } = useCopy(text);
  return (
    <IconButton label={copied ? "Copied" : `Copy ${what}`} onClick={copy} className="size-7!">
      <Icon name={copied ? "check" : "copy"} size={14} />
    </IconButton>
  );
}
