// A media tab: the model, the form that the model takes, and what came, the newest first.
import type { ModelRow } from "svc-sdk/functions";
import { type FormEvent, type ReactNode, useState } from "react";
import { useMay } from "../../../lib/rights.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icons.tsx";
import { Card, Empty } from "../../../ui/parts.tsx";
import { mediaCodeOf } from "../code.ts";
import { ModelChoice } from "../model-choice.tsx";
import { CodeDialog } from "../view-code.tsx";
import { bodyOf, type MediaKind, type Values } from "./kinds.ts";
import { MediaFieldView } from "./media-field.tsx";
import { setMediaModel, setValues, useMedia } from "./media-store.ts";
import { RunView } from "./result-view.tsx";
import { make } from "./run.ts";

export function MediaPane({ kind, models }: { kind: MediaKind; models: readonly ModelRow[] }): ReactNode {
  const media = useMedia();
  const model = models.find(({ id }) => id === media.models[kind.tab]) ?? models[0];
  const runs = media.runs.filter(({ tab }) => tab === kind.tab);
  if (model === undefined) return <Empty title="No model">The catalog has no model for this.</Empty>;
  return (
    <div className="grid gap-6 lg:grid-cols-[22rem_minmax(0,1fr)]">
      <Card title={kind.label} className="h-fit">
        <MediaForm kind={kind} models={models} model={model} values={media.values[kind.tab] ?? {}} />
      </Card>
      <div className="min-w-0 space-y-4" role="log" aria-label="Results" aria-live="off">
        {runs.length === 0 && <Empty title="Nothing yet">Results appear here, with what each cost.</Empty>}
        {runs.map((run, at) => (
          <RunView key={run.id} run={run} turn={runs.length - at} name={models.find(({ id }) => id === run.model)?.name ?? run.model} />
        ))}
      </div>
    </div>
  );
}

interface MediaFormProps {
  kind: MediaKind;
  models: readonly ModelRow[];
  model: ModelRow;
  values: Values;
}

function MediaForm({ kind, models, model, values }: MediaFormProps): ReactNode {
  const [file, setFile] = useState<File | null>(null);
  const [code, setCode] = useState(false);
  const may = useMay("keys") !== false;
  const fields = kind.fields(model);
  const body = bodyOf(kind, model, values);
  const missing = fields.some(({ kind: type }) => type === "file") && file === null && body["audio_url"] === undefined;
  const title = file?.name ?? values["prompt"] ?? values["input"] ?? values["audio_url"] ?? "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void make({ tab: kind.tab, model: model.id, title, body, file });
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      <ModelChoice
        label="Model"
        models={models}
        value={model.id}
        disabled={false}
        onChange={(id) => setMediaModel(kind.tab, id)}
        onRemove={undefined}
      />
      {fields.map((field) => (
        <MediaFieldView
          key={field.name}
          field={field}
          value={values[field.name] ?? ""}
          set={(value) => setValues(kind.tab, { [field.name]: value })}
          setFile={setFile}
        />
      ))}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" kind="primary" disabled={missing || !may}>
          <Icon name="send" /> {kind.action}
        </Button>
        <Button onClick={() => setCode(true)}>
          <Icon name="code" /> View code
        </Button>
      </div>
      <CodeDialog samples={code ? mediaCodeOf(kind, body, file?.name ?? null) : null} onClose={() => setCode(false)} />
    </form>
  );
}
