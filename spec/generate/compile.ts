// Runs the TypeSpec compiler and reads the one document that it emits. A warning is an error.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Document } from "./document.ts";

const compiler = fileURLToPath(new URL("../../node_modules/@typespec/compiler/cmd/tsp.js", import.meta.url));
const spec = fileURLToPath(new URL("../", import.meta.url));

export async function compile(): Promise<Document> {
  const output = mkdtempSync(join(tmpdir(), "svc-spec-"));
  const args = [
    compiler,
    "compile",
    join(spec, "main.tsp"),
    "--config",
    join(spec, "tspconfig.yaml"),
    "--output-dir",
    output,
    "--warn-as-error",
  ];
  try {
    execFileSync(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
    return JSON.parse(readFileSync(join(output, "openapi.json"), "utf8")) as Document;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`the spec does not compile:\n${stdout}${stderr}` || String(error));
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}
