// Clients of other languages in the matrix: a program prints, for a client and a column, what it sees.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { runEnvironment } from "../../support/leftovers.ts";
import { goProgram, pins } from "../more/environment.ts";
import type { At, Client } from "./client.ts";

const run = promisify(execFile);

type Column = "chat" | "stream" | "tools" | "structured" | "embeddings" | "errors";

function goClient(name: string, prefix: string, columns: readonly Column[]): Client {
  const call =
    (column: Column) =>
    async ({ base, customer }: At): Promise<unknown> => {
      const env = { ...runEnvironment(), SVC_URL: base, SVC_KEY: customer.account.key };
      const { stdout } = await run(goProgram, [`${prefix}_${column}`], { env });
      return JSON.parse(stdout) as unknown;
    };
  const calls = Object.fromEntries(columns.map((column) => [column, call(column)]));
  return { name: `${name} (Go)`, version: goVersion(name), needs: goProgram, ...calls };
}

function goVersion(name: string): string {
  const module = readFileSync(`${pins}go/go.mod`, "utf8");
  return new RegExp(`^\\s+github\\.com/\\S*${name}(?:/v\\d+)? v(\\S+)$`, "m").exec(module)![1]!;
}

const all = ["chat", "stream", "tools", "structured", "errors"] as const;

export const goClients: readonly Client[] = [
  goClient("openai-go", "openai", [...all, "embeddings"]),
  goClient("anthropic-sdk-go", "anthropic", all),
  goClient("sashabaranov/go-openai", "community", [...all, "embeddings"]),
];
