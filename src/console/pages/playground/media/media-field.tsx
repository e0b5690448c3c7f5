// A field of a media tab's form.
import { useQuery } from "@tanstack/react-query";
import { listVoices } from "svc-sdk/functions";
import { type ReactNode, useId, useState } from "react";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { Field, Select, TextArea } from "../../../ui/field.tsx";
import { playgroundClient } from "../playground-key.ts";
import type { MediaField } from "./kinds.ts";

interface MediaFieldProps {
  field: MediaField;
  value: string;
  set: (value: string) => void;
  setFile: (file: File | null) => void;
}

export function MediaFieldView({ field, value, set, setFile }: MediaFieldProps): ReactNode {
  const { label, kind, required = false, hint, choices, min, max, step, maxLength } = field;
  const listId = useId();
  if (kind === "voice") return <VoiceField label={label} value={value} set={set} />;
  if (kind === "choice")
    return <Select label={label} hint={hint} value={value} choices={choices ?? []} onChange={({ target }) => set(target.value)} />;
  if (kind === "file")
    return <Field label={label} hint={hint} type="file" accept="audio/*,video/webm" onChange={({ target }) => setFile(target.files?.[0] ?? null)} />; // prettier-ignore
  const shared = { label, required, ...(hint === undefined ? {} : { hint }), ...(maxLength === undefined ? {} : { maxLength }), value };
  if (kind === "text") return <TextArea {...shared} rows={4} onChange={({ target }) => set(target.value)} />;
  if (kind === "number")
    return (
      <Field
        {...shared}
        {...{ type: "number", min, max, step, inputMode: "decimal", placeholder: "The model's own" }}
        onChange={({ target }) => set(target.value)}
      />
    );
  return (
    <>
      <Field {...shared} list={choices === undefined ? undefined : listId} onChange={({ target }) => set(target.value)} />
      {choices !== undefined && (
        <datalist id={listId}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value} />
          ))}
        </datalist>
      )}
    </>
  );
}

const families = { provider_a: "family A", provider_b: "family B" };

function VoiceField({ label, value, set }: Pick<MediaFieldProps, "value" | "set"> & { label: string }): ReactNode {
  // Reading them takes the playground's key, which looking at the page should not make.
  const [wanted, setWanted] = useState(false);
  const { data, error } = useQuery({
    queryKey: ["playground", "voices"],
    enabled: wanted,
    queryFn: async () => (await listVoices(await playgroundClient(), { provider: "all" })).data,
    staleTime: 300_000,
  });
  return (
    <>
      <Select
        label={label}
        hint="A voice works with the models of its family."
        value={value}
        onFocus={() => setWanted(true)}
        choices={[
          { value: "", label: "The model's own" },
          ...(data ?? []).map(({ voice_id, name, provider }) => ({ value: voice_id, label: `${name} (${families[provider]})` })),
        ]}
        onChange={({ target }) => set(target.value)}
      />
      <ErrorNote error={error} />
    </>
  );
}
