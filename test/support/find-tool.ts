// Debian's tools that tests use, by PATH. `npm run tools:install` (test/support/install-tools.ts) brings those that are missing.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Tool to the names of its program, the likeliest first. A tool's name is that of its Debian package. */
export const tools = {
  /** Without windows of its own: what a whole Chromium draws around each page costs more than most pages, 2 s of a processor. */
  "chromium-headless-shell": ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
  nginx: ["nginx"],
  pgbouncer: ["pgbouncer"],
  "postgresql-client": ["psql"],
  /** Its checker of rules: the server is not started. */
  prometheus: ["promtool"],
} as const;

export function findTool(tool: keyof typeof tools): string | null {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/bin", "/usr/sbin"].filter((folder) => folder !== "");
  return folders.flatMap((folder) => tools[tool].map((name) => join(folder, name))).find((path) => existsSync(path)) ?? null;
}

/** For a test that can't do without it: where CI=true a missing tool is a failure, elsewhere the test is skipped and says why. */
export function needTool(tool: keyof typeof tools): string | null {
  const found = findTool(tool);
  if (found !== null) return found;
  const why = `${tool} is not installed (npm run tools:install)`;
  if (process.env["CI"] === "true") throw new Error(why);
  console.warn(`skipped: ${why}`);
  return null;
}
