// Sample calls of an operation, in curl, TypeScript (svc-sdk) and Python: with OpenAI's or Anthropic's client where it has the call, else
// with httpx. Made from the contract's own examples.
import { exampleOf, type Located, type Media, type Parameter } from "./contract.ts";
import type { Sample } from "./types.ts";

interface Access {
  /** Null: the address is the reader's $SVC_URL. */
  publicUrl: string | null;
  auth: "none" | "key" | "key_or_session" | "session";
}

export function samplesOf(operation: Located, access: Access): Sample[] {
  const call = { operation, body: bodyOf(operation), access };
  return [curlOf(call), typescriptOf(call), pythonOf(call) ?? httpxOf(call)].filter((sample) => sample !== null);
}

interface CallShown {
  operation: Located;
  body: { json: unknown } | { form: FormField[] } | null;
  access: Access;
}

interface FormField {
  name: string;
  /** `@NAME` is a file of the reader's. */
  values: string[];
  /** The contract has a list here. */
  list: boolean;
}

function bodyOf({ doc }: Located): CallShown["body"] {
  const content = doc.requestBody?.content ?? {};
  // The contract's first: readers have recordings of their own, an address that the contract invents does not exist.
  const [type = "", media] = Object.entries(content)[0] ?? [];
  const example = examplesOf(media)[0];
  if (example === undefined) return null;
  const isForm = type === "multipart/form-data";
  return isForm ? { form: Object.entries(example).map(([name, value]) => formField(name, value)) } : { json: example };
}

/** The plainest first. */
function examplesOf(media: Media | undefined): Record<string, unknown>[] {
  const values = Object.values(media?.examples ?? {}).map(({ value }) => value as Record<string, unknown>);
  return values.sort((a, b) => JSON.stringify(a).length - JSON.stringify(b).length);
}

function formField(name: string, value: unknown): FormField {
  return { name, values: [value].flat().map(formValue), list: Array.isArray(value) };
}

/** In the contract a text stands for the bytes of a file and gives its name. */
function formValue(value: unknown): string {
  const [, name] = /^<the bytes of (.+)>$/.exec(String(value)) ?? [];
  return name === undefined ? String(value) : `@${name}`;
}

/** The file name for an answer that is only sound. */
function fileOf({ doc }: Located): string | null {
  const types = Object.entries(doc.responses).flatMap(([status, { content }]) => (Number(status) < 300 ? Object.keys(content ?? {}) : []));
  return types.length > 0 && types.every((type) => type.startsWith("audio/")) ? "speech.mp3" : null;
}

function curlOf({ operation, body, access }: CallShown): Sample {
  const { method, doc } = operation;
  const url = `${access.publicUrl ?? "$SVC_URL"}${filledPath(operation)}${queryOf(doc.parameters ?? [])}`;
  const unsaid = body === null ? "GET" : "POST";
  const lines = [`curl ${method === unsaid ? "" : `-X ${method} `}"${url}"`];
  if (access.auth === "session") lines.push(`-H "Authorization: Bearer $SVC_SESSION"`);
  else if (access.auth !== "none") lines.push(`-H "Authorization: Bearer $SVC_KEY"`);
  if (body !== null && "form" in body)
    lines.push(...body.form.flatMap(({ name, values }) => values.map((value) => `-F ${shellWord(`${name}=${value}`)}`)));
  if (body !== null && "json" in body) {
    lines.push(`-H "Content-Type: application/json"`, `-d ${shellWord(JSON.stringify(body.json, null, 2))}`);
  }
  const file = fileOf(operation);
  if (file !== null) lines.push(`-o ${file}`);
  return { language: "sh", code: lines.join(" \\\n  ") };
}

function typescriptOf({ operation, body, access }: CallShown): Sample | null {
  const name = operation.doc["x-sdk"];
  if (name === undefined) return null;
  const credential = access.auth === "session" ? "sessionToken: process.env.SVC_SESSION" : "apiKey: process.env.SVC_KEY";
  const options = [
    ...(access.auth === "none" ? [] : [credential]),
    `baseURL: ${access.publicUrl === null ? "process.env.SVC_URL" : JSON.stringify(access.publicUrl)}`,
  ];
  const query = Object.fromEntries(exampledQuery(operation.doc.parameters ?? []));
  const given = [
    ...pathValues(operation).map((value) => JSON.stringify(value)),
    ...(body === null
      ? Object.keys(query).length > 0
        ? [literal(query)]
        : []
      : ["json" in body ? literal({ ...(body.json as object), ...query }) : formLiteral(body.form)]),
  ];
  const file = fileOf(operation);
  const imports = [
    ...(body !== null && "form" in body ? [`import { openAsBlob } from "node:fs";\n`] : []),
    ...(file === null ? [] : [`import { writeFile } from "node:fs/promises";\n`]),
  ].join("");
  const shown = file === null ? "console.log(result);" : `await writeFile(${JSON.stringify(file)}, await result.bytes());`;
  return {
    language: "ts",
    code: `${imports}import Svc from "svc-sdk";\n\nconst svc = new Svc({ ${options.join(", ")} });\n\nconst result = await svc.${name}(${given.join(", ")});\n${shown}`,
  };
}

/** Calls that OpenAI's and Anthropic's Python clients have under the same name, with the arguments that they require. */
const pythonCalls: Record<string, readonly string[]> = {
  "chat.completions.create": ["model", "messages"],
  "completions.create": ["model", "prompt"],
  "embeddings.create": ["model", "input"],
  "responses.create": ["model", "input"],
  "audio.speech.create": ["model", "voice", "input"],
  "messages.create": ["model", "messages", "max_tokens"],
};

/** Our own fields, which those clients take only in `extra_body`. */
const beyondPython = ["voice_settings"];

function pythonOf({ operation, access }: CallShown): Sample | null {
  const name = operation.doc["x-sdk"] ?? "";
  const needed = pythonCalls[name];
  if (needed === undefined) return null;
  const body = examplesOf(operation.doc.requestBody?.content["application/json"]).find((one) => needed.every((field) => field in one));
  if (body === undefined) return null;
  const anthropic = name === "messages.create";
  const client = anthropic ? "Anthropic" : "OpenAI";
  const suffix = anthropic ? "" : "/v1"; // Anthropic's client adds it itself
  const fromEnvironment = `os.environ["SVC_URL"]${anthropic ? "" : ' + "/v1"'}`;
  const address = access.publicUrl === null ? fromEnvironment : JSON.stringify(`${access.publicUrl}${suffix}`);
  const extra = Object.entries(body).filter(([key]) => beyondPython.includes(key));
  const fields = Object.entries(body).filter(([key]) => !beyondPython.includes(key));
  const given = [...fields, ...(extra.length > 0 ? [["extra_body", Object.fromEntries(extra)] as const] : [])].map(
    ([key, value]) => `    ${key}=${pythonLiteral(value, "    ")},`,
  );
  const file = fileOf(operation);
  const shown = file === null ? "print(result)" : `result.write_to_file(${JSON.stringify(file)})`;
  return {
    language: "python",
    code: `import os\nfrom ${client.toLowerCase()} import ${client}\n\nclient = ${client}(base_url=${address}, api_key=os.environ["SVC_KEY"])\n\nresult = client.${name}(\n${given.join("\n")}\n)\n${shown}`,
  };
}

/** Its own time-out of five seconds is too short for a model. */
const httpxTimeout = 120;

function httpxOf({ operation, body, access }: CallShown): Sample {
  const { method, doc } = operation;
  const form = body !== null && "form" in body ? body.form : [];
  const pairs = form.flatMap(({ name, values }) => values.map((value): [string, string] => [name, value]));
  const files = pairs.filter(([, value]) => value.startsWith("@"));
  const fields = pairs.filter(([, value]) => !value.startsWith("@"));
  const query = Object.fromEntries(exampledQuery(doc.parameters ?? []).map(([name, value]) => [name, [value].flat().join(",")]));
  const variable = access.auth === "session" ? "SVC_SESSION" : "SVC_KEY";
  const path = filledPath(operation);
  const given = [
    `"${method}",`,
    access.publicUrl === null ? `os.environ["SVC_URL"] + ${JSON.stringify(path)},` : `${JSON.stringify(access.publicUrl + path)},`,
    ...(Object.keys(query).length === 0 ? [] : [`params=${pythonLiteral(query, "    ")},`]),
    ...(access.auth === "none" ? [] : [`headers={"Authorization": "Bearer " + os.environ["${variable}"]},`]),
    ...(body !== null && "json" in body ? [`json=${pythonLiteral(body.json, "    ")},`] : []),
    ...(fields.length === 0 ? [] : [`data=${pythonLiteral(Object.fromEntries(fields), "    ")},`]),
    ...(files.length === 0
      ? []
      : [`files={${files.map(([name, value]) => `"${name}": open(${JSON.stringify(value.slice(1))}, "rb")`).join(", ")}},`]),
    `timeout=${httpxTimeout},`,
  ];
  const file = fileOf(operation);
  const shown = file === null ? "print(result.status_code, result.text)" : `open(${JSON.stringify(file)}, "wb").write(result.content)`;
  const needsOs = access.auth !== "none" || access.publicUrl === null;
  return {
    language: "python",
    code: `${needsOs ? "import os\n\n" : ""}import httpx\n\nresult = httpx.request(\n${given.map((line) => `    ${line}`).join("\n")}\n)\n${shown}`,
  };
}

/** In the order of the path, by the contract's examples. */
function pathValues({ path, doc }: Located): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    const parameter = doc.parameters?.find((one) => one.in === "path" && one.name === name);
    const value = parameter && exampleOf(parameter);
    if (typeof value !== "string") throw new Error(`${doc.operationId} has no example of ${name}`);
    return value;
  });
}

function filledPath(operation: Located): string {
  const values = pathValues(operation);
  return operation.path.replace(/\{\w+\}/g, () => encodeURIComponent(values.shift() as string));
}

function exampledQuery(parameters: readonly Parameter[]): [string, unknown][] {
  return parameters
    .filter((one) => one.in === "query")
    .flatMap((one): [string, unknown][] => {
      const value = exampleOf(one);
      return value === undefined || value === null ? [] : [[one.name, value]];
    });
}

function queryOf(parameters: readonly Parameter[]): string {
  const pairs = exampledQuery(parameters).map(([name, value]) => `${name}=${encodeURIComponent([value].flat().join(","))}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** An object as people write it: names without quotes. */
function literal(value: unknown): string {
  const text = JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, "$1$2:");
  const short = text.replace(/\n\s*/g, " ");
  return short.length <= 70 ? short : text;
}

function formLiteral(form: readonly FormField[]): string {
  const fields = form.map(({ name, values, list }) => {
    const texts = values.map((value) =>
      value.startsWith("@") ? `await openAsBlob(${JSON.stringify(value.slice(1))})` : JSON.stringify(value),
    );
    return `${name}: ${list ? `[${texts.join(", ")}]` : texts.join(", ")}`;
  });
  return `{ ${fields.join(", ")} }`;
}

function pythonLiteral(value: unknown, pad: string): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = `${pad}    `;
  const parts = Array.isArray(value)
    ? value.map((one) => pythonLiteral(one, inner))
    : Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${pythonLiteral(one, inner)}`);
  const [open, end] = Array.isArray(value) ? "[]" : "{}";
  const short = `${open}${parts.join(", ")}${end}`;
  return short.length <= 80 && !short.includes("\n")
    ? short
    : `${open}\n${parts.map((part) => `${inner}${part},`).join("\n")}\n${pad}${end}`;
}
