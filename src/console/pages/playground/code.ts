// A chat request as code for the terminal, TypeScript and Python.
import type { ChatRequest } from "svc-sdk/functions";
import { gatewayUrl } from "../../lib/api.ts";

export function codeOf(body: ChatRequest): { name: string; code: string }[] {
  const json = JSON.stringify({ ...body, stream: true }, null, 2);
  return [
    {
      name: "curl",
      code: `curl -N ${gatewayUrl}/v1/chat/completions \\\n  -H "Authorization: Bearer $SVC_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '${json.replaceAll("'", "'\\''")}'`,
    },
    {
      name: "TypeScript",
      code: `import Svc from "svc-sdk"; // npm install ${gatewayUrl}/docs/svc-sdk.tgz\n\nconst svc = new Svc({ baseURL: "${gatewayUrl}", apiKey: process.env.SVC_KEY });\nconst stream = await svc.chat.completions.create(${json});\nfor await (const { choices } of stream) process.stdout.write(choices[0]?.delta.content ?? "");\nconsole.log("\\ncost in USD:", stream.cost);`,
    },
    {
      name: "Python",
      code: `import os\nfrom openai import OpenAI\n\nclient = OpenAI(base_url="${gatewayUrl}/v1", api_key=os.environ["SVC_KEY"])\nstream = client.chat.completions.create(**${python(JSON.stringify(body, null, 4))}, stream=True)\nfor chunk in stream:\n    if chunk.choices:\n        print(chunk.choices[0].delta.content or "", end="")`,
    },
  ];
}

/** JSON is Python but for three words, which inside strings stay as they are. */
function python(json: string): string {
  const words: Record<string, string> = { true: "True", false: "False", null: "None" };
  return json.replace(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (part) => words[part] ?? part);
}
