// Clients of other languages in the matrix: a program prints, for a client and a column, what it sees.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { runEnvironment } from "../../support/leftovers.ts";
import { goProgram, javaFolder, pins, rustProgram, shortLived } from "../more/environment.ts";
import type { At, Client } from "./client.ts";

const run = promisify(execFile);

type Column = "chat" | "stream" | "tools" | "structured" | "embeddings" | "errors" | "models";

interface Program {
  name: string;
  version: string;
  needs: string;
  /** To which the column's name is added. */
  command: readonly [string, ...string[]];
  prefix?: string;
  columns: readonly Column[];
  batches: boolean;
  typesOfErrors?: Readonly<Record<number, string>>;
}

function programClient({ name, version, needs, command: [file, ...args], prefix = "", columns, batches, ...more }: Program): Client {
  const call =
    (column: string) =>
    async ({ base, customer }: At, environment: Record<string, string> = {}): Promise<unknown> => {
      const env = { ...runEnvironment(), SVC_URL: base, SVC_KEY: customer.account.key, ...environment };
      const { stdout } = await run(file, [...args, `${prefix}${column}`], { env });
      return JSON.parse(stdout) as unknown;
    };
  return {
    ...{ name, version, needs, ...more },
    ...Object.fromEntries(columns.map((column) => [column, (at: At) => call(column)(at)])),
    refused: (at: At, model: string) => call("refused")(at, { SVC_MODEL: model }) as Promise<{ status: number; code: string }>,
    ...(batches ? { batch: (at: At, line: string) => call("batch")(at, { SVC_LINE: line }) as Promise<string> } : {}),
  };
}

/** The first group of a pattern in a file of pins. */
const pinned = (path: string, pattern: RegExp) => pattern.exec(readFileSync(join(pins, path), "utf8"))![1]!;

const ofMessages = ["chat", "stream", "tools", "structured", "errors", "models"] as const;
const all = [...ofMessages, "embeddings"] as const;

const go = (name: string, prefix: string): Pick<Program, "name" | "version" | "needs" | "command" | "prefix"> => ({
  ...{ name: `${name} (Go)`, needs: goProgram, command: [goProgram], prefix },
  version: pinned("go/go.mod", new RegExp(String.raw`^\s+github\.com/\S*${name}(?:/v\d+)? v(\S+)$`, "m")),
});

const java = (name: string, prefix: string): Pick<Program, "name" | "version" | "needs" | "command" | "prefix"> => ({
  ...{ name: `${name} (Java)`, needs: join(javaFolder, "classes"), prefix },
  command: ["java", ...shortLived, "-cp", [join(javaFolder, "classes"), join(javaFolder, "packages", "*")].join(delimiter), "Main"],
  version: pinned("java/pom.xml", new RegExp(String.raw`<artifactId>${name}</artifactId>\s+<version>(.*)</version>`)),
});

const ofJava = { 401: "UnauthorizedException", 404: "NotFoundException", 429: "RateLimitException" };

const programs: readonly Program[] = [
  { ...go("openai-go", "openai_"), columns: all, batches: true },
  { ...go("anthropic-sdk-go", "anthropic_"), columns: ofMessages, batches: false },
  { ...go("sashabaranov/go-openai", "community_"), columns: all, batches: false },
  {
    ...{ ...java("openai-java", "openai_"), columns: all, batches: true },
    typesOfErrors: { ...ofJava, 402: "UnexpectedStatusCodeException" },
  },
  {
    ...{ ...java("anthropic-java", "anthropic_"), columns: ofMessages, batches: false },
    typesOfErrors: { ...ofJava, 402: "PaymentRequiredException" },
  },
  {
    ...{ name: "async-openai (Rust)", needs: rustProgram, command: [rustProgram], columns: all, batches: true },
    version: pinned("rust/Cargo.toml", /async-openai = \{ version = "=(\S+)"/),
  },
];

export const programClients: readonly Client[] = programs.map(programClient);
