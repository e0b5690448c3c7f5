// A Chromium of the machine, by PATH: playwright's own downloads don't work everywhere.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

export function findBrowser(): string | null {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/bin"].filter((folder) => folder !== "");
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path)) ?? null;
}
