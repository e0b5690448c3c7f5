// A request of the playground as code for the terminal, TypeScript and Python.
import type { ChatRequest } from "svc-sdk/functions";
import { gatewayUrl } from "../../lib/place.ts";
import type { MediaKind } from "./media/kinds.ts";

export interface Sample {
  name: string;
  code: string;
}

export function codeOf(body: ChatRequest): Sample[] {
  const callsTools = body.tools != null;
  const scriptText = `choices[0]?.delta.content ?? ${callsTools ? "JSON.stringify(choices[0]?.delta.tool_calls) ?? " : ""}""`;
  const pythonText = `chunk.choices[0].delta.content or ${callsTools ? "chunk.choices[0].delta.tool_calls or " : ""}""`;
  const json = JSON.stringify({ ...body, stream: true }, shortened, 2);
  return [
    {
      name: "curl",
      code: `curl -N ${gatewayUrl}/v1/chat/completions \\\n  -H "Authorization: Bearer $SVC_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '${shell(json)}'`,
    },
    {
      name: "TypeScript",
      code: `import Svc from "svc-sdk"; // npm install ${gatewayUrl}/docs/svc-sdk.tgz\n\nconst svc = new Svc({ baseURL: "${gatewayUrl}", apiKey: process.env.SVC_KEY });\nconst stream = await svc.chat.completions.create(${json});\nfor await (const { choices } of stream) process.stdout.write(${scriptText});\nconsole.log("\\ncost in USD:", stream.cost);`,
    },
    {
      name: "Python",
      code: `import os\nfrom openai import OpenAI\n\nclient = OpenAI(base_url="${gatewayUrl}/v1", api_key=os.environ["SVC_KEY"])\nstream = client.chat.completions.create(**${python(JSON.stringify(body, shortened, 4))}, stream=True)\nfor chunk in stream:\n    if chunk.choices:\n        print(${pythonText}, end="")`,
    },
  ];
}

/** A picture that was chosen here would fill pages: its beginning stands for it. */
function shortened(_: string, value: unknown): unknown {
  return typeof value === "string" && value.startsWith("data:image/") && value.length > 100 ? `${value.slice(0, 60)}…` : value;
}

/** JSON is Python but for three words, which inside strings stay as they are. */
function python(json: string): string {
  const words: Record<string, string> = { true: "True", false: "False", null: "None" };
  return json.replace(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (part) => words[part] ?? part);
}

/** `fileName`: of the recording that was chosen. */
export function mediaCodeOf(kind: MediaKind, body: Record<string, unknown>, fileName: string | null): Sample[] {
  const upload =
    kind.tab === "transcription" && (fileName !== null || body["audio_url"] === undefined) ? (fileName ?? "recording.mp3") : null;
  return [
    { name: "curl", code: upload === null ? mediaCurl(kind, body) : uploadCurl(kind, body, upload) },
    { name: "TypeScript", code: mediaTypeScript(kind, body, upload) },
    { name: "Python", code: mediaPython(kind, body, upload) },
  ];
}

const isJob = ({ file }: MediaKind) => file === "image" || file === "video";
const shell = (text: string) => text.replaceAll("'", "'\\''");
const key = `-H "Authorization: Bearer $SVC_KEY"`;

function mediaCurl(kind: MediaKind, body: object): string {
  const call = `curl -s ${gatewayUrl}${kind.path} \\\n  ${key} \\\n  -H "Content-Type: application/json" \\\n  -d '${shell(JSON.stringify(body, null, 2))}'`;
  if (!isJob(kind)) return kind.file === null ? call : `${call} \\\n  -o ${kind.file}`;
  return `${call} | tee job.json\nJOB=$(grep -oE '(job|vid)_[0-9a-f]+' job.json | head -n 1)\ncurl -s "${gatewayUrl}/v1/jobs/$JOB?wait=25" ${key}`;
}

function uploadCurl(kind: MediaKind, body: object, upload: string): string {
  const fields = Object.entries(body).map(([name, value]) => ` \\\n  --form-string '${shell(`${name}=${String(value)}`)}'`);
  return `curl -s ${gatewayUrl}${kind.path} \\\n  ${key} \\\n  -F '${shell(`file=@"${upload}"`)}'${fields.join("")}`;
}

function mediaTypeScript(kind: MediaKind, body: object, upload: string | null): string {
  const fields = JSON.stringify(body, null, 2);
  const head = `import Svc from "svc-sdk"; // npm install ${gatewayUrl}/docs/svc-sdk.tgz\n`;
  const files = isJob(kind) || (kind.file === null && upload === null) ? "" : `import * as fs from "node:fs";\n`;
  const client = `\nconst svc = new Svc({ baseURL: "${gatewayUrl}", apiKey: process.env.SVC_KEY });\n`;
  const input = upload === null ? fields : `{\n  file: await fs.openAsBlob(${JSON.stringify(upload)}),${fields.slice(1)}`;
  const call = `const answer = await svc.${kind.method}(${input});\n`;
  if (isJob(kind)) return `${head}${client}${call}console.log(answer.output.url, answer.charged_amount, "USD");`;
  if (kind.file === null) return `${head}${files}${client}${call}console.log(answer.text, answer.billing.cost_usd, "USD");`;
  return `${head}${files}${client}${call}fs.writeFileSync("${kind.file}", await answer.bytes());\nconsole.log(answer.cost, "USD");`;
}

function mediaPython(kind: MediaKind, body: object, upload: string | null): string {
  const fields = python(JSON.stringify(body, null, 4));
  const head = `import os\n${isJob(kind) ? "import time\n" : ""}import requests\n\nheaders = {"Authorization": f"Bearer {os.environ['SVC_KEY']}"}\n`;
  const sent = upload === null ? `json=${fields}` : `files={"file": open(${JSON.stringify(upload)}, "rb")}, data=${fields}`;
  const call = (name: string) =>
    `${name} = requests.post("${gatewayUrl}${kind.path}", headers=headers, ${sent})\n${name}.raise_for_status()\n`;
  if (kind.file === null) return `${head}${call("answer")}print(answer.json()["text"], answer.json()["billing"]["cost_usd"], "USD")`;
  if (!isJob(kind))
    return `${head}${call("answer")}with open("${kind.file}", "wb") as file:\n    file.write(answer.content)\nprint(answer.headers["x-svc-cost-usd"], "USD")`;
  return `${head}${call("answer")}job = answer.json()\nwhile job["status"] in ("queued", "pending", "processing"):\n    time.sleep(1)\n    job = requests.get(f"${gatewayUrl}/v1/jobs/{job['id']}", params={"wait": 25}, headers=headers).json()\nprint(job["output"]["url"], job["charged_amount"], "USD")`;
}
