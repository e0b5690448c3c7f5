// Python's clients in the matrix: python/matrix.py has a function for each cell of these.
import { anthropic2, frameworks } from "../python/environment.ts";
import { pythonLibraries } from "../more/environment.ts";
import type { Python } from "../python/python.ts";
import type { At, Client, Shown } from "./client.ts";
import { typesOfErrors } from "./openai-like.ts";

export interface PythonClient extends Pick<Client, "needs" | "typesOfErrors"> {
  name: string;
  /** Begins the names of its functions. */
  prefix: string;
  /** Whose versions are shown; null: it is of this contract. */
  packages: readonly string[] | null;
  columns: readonly (typeof ofOpenai)[number][];
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
const ofOpenai = [...all, "embeddings", "refused", "models", "batch"] as const;
const ofAnthropic = [...all, "refused", "models"] as const;
/** Python's clients name their types as those of JavaScript do, but for the general one. */
const typed = { typesOfErrors: { ...typesOfErrors, 402: "APIStatusError" } };

export function pythonClients(): readonly PythonClient[] {
  return [
    { name: "openai, chat", prefix: "openai", packages: ["openai"], columns: ofOpenai, environment: {}, ...typed },
    { name: "openai, Responses", prefix: "responses", packages: ["openai"], columns: all, environment: {} },
    { name: "anthropic", prefix: "anthropic", packages: ["anthropic"], columns: ofAnthropic, environment: {}, ...typed },
    {
      name: "anthropic",
      prefix: "anthropic",
      packages: ["anthropic"],
      columns: ofAnthropic,
      environment: { PYTHONPATH: anthropic2 },
      typesOfErrors: { ...typesOfErrors, 402: "PaymentRequiredError" },
    },
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
      columns: ["chat", "stream", "tools", "embeddings", "errors", "refused", "models"],
      environment: {}, // the SDK, once it is made
      typesOfErrors: { 401: "ApiError", 402: "ApiError", 404: "ApiError", 429: "ApiError" },
    },
  ];
}

/** The names of what these columns' functions take. */
const argument: Readonly<Record<string, string>> = { refused: "model", batch: "line" };

export function clientOf({ name, prefix, columns, ...more }: PythonClient, version: string, python: Python): Client {
  const run = async (column: string, { base, customer }: At, args: Record<string, unknown>): Promise<unknown> => {
    const { value, raised } = await python.run(`${prefix}_${column}`, { base, key: customer.account.key }, args);
    if (raised) throw new Error(`${raised.class}: ${raised.text}`);
    return value as unknown;
  };
  const calls = Object.fromEntries(
    columns.map((column) => [column, (at: At, given: string) => run(column, at, column in argument ? { [argument[column]!]: given } : {})]),
  );
  return { name: `${name} (Python)`, version, ...more, ...(calls as { chat: (at: At) => Promise<Shown> }) };
}
