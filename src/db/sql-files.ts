// Reads the SQL that a database is made of: migrations/ and functions/ (README.md).
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

export interface SqlFile {
  /** Of the file, without `.sql`. */
  name: string;
  text: string;
  hash: string;
}

/** In the order in which they are applied. */
export const readMigrations = (): SqlFile[] => readFolder("migrations");

export const readFunctions = (): SqlFile[] => readFolder("functions");

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function readFolder(folder: string): SqlFile[] {
  const path = new URL(`${folder}/`, import.meta.url);
  const files = readdirSync(path).filter((file) => file.endsWith(".sql"));
  return files.sort().map((file) => {
    const text = readFileSync(new URL(file, path), "utf8");
    return { name: file.slice(0, -".sql".length), text, hash: hashOf(text) };
  });
}
