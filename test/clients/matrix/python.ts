// Python's clients in the matrix: python/matrix.py has a function for each cell of these.
import { anthropic2, frameworks } from "../python/environment.ts";
import { pythonLibraries } from "../more/environment.ts";
import type { Python } from "../python/python.ts";
import type { At, Client, Shown } from "./client.ts";

export interface PythonClient {
  name: string;
  /** Begins the names of its functions. */
  prefix: string;
  /** Whose versions are shown; null: it is of this contract. */
  packages: readonly string[] | null;
  /** As a client's. */
  needs?: string;
  columns: readonly Exclude<keyof Client, "name" | "version" | "needs" | "estimates" | "guessesCost" | "toolCalled" | "refusal">[];
  environment: Record<string, string>;
  /** The file of its functions. */
  module?: string;
}

/** A framework over OpenAI's dialect. */
function framework(name: string, prefix: string, columns: PythonClient["columns"], module = "matrix_frameworks"): PythonClient {
  // litellm would load its list of prices from elsewhere.
  const environment = { PYTHONPATH: frameworks, LITELLM_LOCAL_MODEL_COST_MAP: "True" };
  return { name, prefix, packages: [name], columns, environment, module };
}

/** One that only npm run test:clients installs. */
function apart(name: string, prefix: string, columns: PythonClient["columns"]): PythonClient {
  return {
    name,
    prefix,
    packages: [name],
    columns,
    environment: { PYTHONPATH: pythonLibraries },
    module: "matrix_more",
    needs: pythonLibraries,
  };
}

const all = ["chat", "stream", "tools", "structured", "errors"] as const;

export function pythonClients(): readonly PythonClient[] {
  return [
    { name: "openai, chat", prefix: "openai", packages: ["openai"], columns: [...all, "embeddings"], environment: {} },
    { name: "openai, Responses", prefix: "responses", packages: ["openai"], columns: all, environment: {} },
    { name: "anthropic", prefix: "anthropic", packages: ["anthropic"], columns: all, environment: {} },
    { name: "anthropic", prefix: "anthropic", packages: ["anthropic"], columns: all, environment: { PYTHONPATH: anthropic2 } },
    framework("litellm", "litellm", [...all, "embeddings"]),
    framework("langchain-openai", "langchain", [...all, "embeddings"]),
    framework("pydantic-ai-slim", "pydantic", all),
    framework("openai-agents", "agents", all),
    framework("llm", "llm", ["chat", "stream", "structured", "errors"]),
    framework("dspy", "dspy", ["chat", "errors"], "matrix_libraries"),
    framework("smolagents", "smolagents", all, "matrix_libraries"),
    framework("chatlas", "chatlas", all, "matrix_libraries"),
    framework("aisuite", "aisuite", all, "matrix_libraries"),
    framework("agno", "agno", all, "matrix_agents"),
    framework("agent-framework-openai", "microsoft", all, "matrix_agents"),
    apart("instructor", "instructor", ["chat", "structured", "errors"]),
    apart("haystack-ai", "haystack", all),
    apart("llama-index-llms-openai-like", "llama", all),
    apart("strands-agents", "strands", ["chat", "stream", "tools", "errors"]),
    {
      name: "svc-sdk",
      prefix: "svc",
      packages: null,
      columns: ["chat", "stream", "tools", "embeddings", "errors"],
      environment: {}, // the SDK, once it is made
    },
  ];
}

export function clientOf({ name, prefix, columns }: PythonClient, version: string, python: Python): Client {
  const run = async (column: string, { base, customer }: At): Promise<unknown> => {
    const { value, raised } = await python.run(`${prefix}_${column}`, { base, key: customer.account.key });
    if (raised) throw new Error(`${raised.class}: ${raised.text}`);
    return value as unknown;
  };
  const calls = Object.fromEntries(columns.map((column) => [column, (at: At) => run(column, at)]));
  return { name: `${name} (Python)`, version, ...(calls as { chat: (at: At) => Promise<Shown> }) };
}
