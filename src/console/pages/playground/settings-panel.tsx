// What goes with every message: the system prompt, the parameters, the format of the answer. Empty means: the model's own.
import type { ReactNode } from "react";
import { Card } from "../../ui/parts.tsx";
import { Field, Select, TextArea } from "../../ui/field.tsx";
import { type Settings, setChat } from "./chat-store.ts";

const efforts = ["", "none", "minimal", "low", "medium", "high", "xhigh", "max"].map((value) => ({
  value,
  label: value === "" ? "The model's own" : value,
}));
const formats = [
  { value: "text", label: "Text" },
  { value: "json_object", label: "JSON" },
  { value: "json_schema", label: "JSON that follows a schema" },
];

export function SettingsPanel({ settings }: { settings: Settings }): ReactNode {
  const set = (changed: Partial<Settings>) => setChat({ settings: { ...settings, ...changed } });
  const number = (
    label: string,
    name: "temperature" | "topP" | "maxTokens",
    range: { min: number; max?: number; step: number | "any" },
  ) => (
    <Field
      label={label}
      type="number"
      {...range}
      inputMode="decimal"
      placeholder="The model's own"
      value={settings[name]}
      onChange={(event) => set({ [name]: event.target.value })}
    />
  );
  return (
    <Card title="Parameters" className="h-fit">
      <div className="space-y-4">
        <TextArea
          label="System prompt"
          rows={4}
          value={settings.system}
          onChange={(event) => set({ system: event.target.value })}
          placeholder="How the model should answer"
        />
        {number("Temperature", "temperature", { min: 0, max: 2, step: 0.1 })}
        {number("Top P", "topP", { min: 0, max: 1, step: 0.05 })}
        {number("Maximum tokens", "maxTokens", { min: 1, step: 1 })}
        <Select label="Thinking" value={settings.effort} choices={efforts} onChange={(event) => set({ effort: event.target.value })} />
        <Select
          label="Answer format"
          value={settings.format}
          choices={formats}
          onChange={(event) => set({ format: event.target.value as Settings["format"] })}
        />
        {settings.format === "json_schema" && (
          <TextArea
            label="JSON Schema"
            rows={8}
            spellCheck={false}
            value={settings.schema}
            onChange={(event) => set({ schema: event.target.value })}
          />
        )}
        <TextArea
          label="Tools"
          rows={4}
          spellCheck={false}
          value={settings.tools}
          onChange={(event) => set({ tools: event.target.value })}
          placeholder='[{"type": "function", …}]'
          hint="A JSON array. You see the model’s calls and answer them."
        />
      </div>
    </Card>
  );
}
