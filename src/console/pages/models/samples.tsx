// The code that calls a model, for the terminal, TypeScript and Python.
import { Tabs } from "@base-ui/react/tabs";
import type { ModelRow } from "svc-sdk/functions";
import type { ReactNode } from "react";
import { gatewayUrl } from "../../lib/place.ts";
import { CopyButton } from "../../ui/copy.tsx";
import { Card } from "../../ui/parts.tsx";

export function Samples({ model }: { model: ModelRow }): ReactNode {
  const samples = samplesOf(model);
  return (
    <Card title="Sample code">
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
              aria-label={`Sample code, ${name}`}
              className="overflow-x-auto rounded-lg bg-sunken p-4 font-mono text-xs leading-relaxed"
            >
              {code}
            </pre>
            <CopyButton text={code} />
          </Tabs.Panel>
        ))}
      </Tabs.Root>
    </Card>
  );
}

const endpoints: Partial<Record<ModelRow["type"], { path: string; body: object; method: string }>> = {
  image: { path: "images/generations", body: { prompt: "A red lighthouse" }, method: "images.generateAndWait" },
  video: { path: "videos/generations", body: { prompt: "Waves at a lighthouse" }, method: "videos.generateAndWait" },
  embedding: { path: "embeddings", body: { input: "A red lighthouse" }, method: "embeddings.create" },
  reranking: { path: "rerank", body: { query: "lighthouse", documents: ["A lamp by the sea", "A train"] }, method: "rerank.create" },
  speech: { path: "audio/speech", body: { input: "Good evening." }, method: "audio.speech.create" },
  transcription: {
    path: "audio/transcriptions",
    body: { audio_url: "https://example.com/hello.mp3" },
    method: "audio.transcriptions.create",
  },
};
const chat = { path: "chat/completions", body: { messages: [{ role: "user", content: "Hello" }] }, method: "chat.completions.create" };

function samplesOf({ id, type }: ModelRow): { name: string; code: string }[] {
  const { path, body, method } = endpoints[type] ?? chat;
  const sent = { model: id, ...body };
  const text = JSON.stringify(sent, null, 2);
  const shell = text.replaceAll("'", "'\\''");
  return [
    {
      name: "curl",
      code: `curl ${gatewayUrl}/v1/${path} \\\n  -H "Authorization: Bearer $SVC_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '${shell}'`,
    },
    {
      name: "TypeScript",
      code: `import Svc from "svc-sdk"; // npm install ${gatewayUrl}/docs/svc-sdk.tgz\n\nconst svc = new Svc({ baseURL: "${gatewayUrl}", apiKey: process.env.SVC_KEY });\nconst answer = await svc.${method}(${text});\nconsole.log(answer);`,
    },
    {
      name: "Python",
      code: `import os, requests\n\nreply = requests.post(\n    "${gatewayUrl}/v1/${path}",\n    headers={"Authorization": f"Bearer {os.environ['SVC_KEY']}"},\n    json=${text},\n)\nprint(reply.${type === "speech" ? "content" : "json()"})`,
    },
  ];
}
