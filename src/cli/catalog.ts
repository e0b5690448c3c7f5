// `svc catalog check`: reports every fault of a catalog file.
import { readFileSync } from "node:fs";
import { Refused } from "../accounts/admin.ts";
import { checkCatalog } from "../catalog/load.ts";
import type { Input, Outcome } from "./command.ts";

export async function check({ words }: Input): Promise<Outcome> {
  const path = words[0]!;
  const { models, providers, problems } = checkCatalog(read(path), path);
  const lines = problems.map(({ line, message }) => `${path}:${line}: ${message}`);
  const text = [...lines, `${models} models, ${providers} providers, ${problems.length} problems`].join("\n");
  return { json: { models, providers, problems }, text, bad: problems.length > 0 };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Refused(`${path} can't be read`, { cause });
  }
}
