// The clients that only npm run test:clients installs, for their size: coding agents, frameworks with many packages, those of Go, Java and Rust. Where one is not
// there its row of the matrix stays as it was.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where they are installed; install.ts fills it. */
export const more = fileURLToPath(new URL("../../../.more-clients", import.meta.url));
/** Pins, and programs of other languages. */
export const pins = fileURLToPath(new URL(".//", import.meta.url));

export const npmPackages = join(more, "npm/node_modules");
export const goProgram = join(more, "go-clients");
export const rustProgram = join(more, "rust/release/svc-clients");
/** Classes of the program, and the packages. */
export const javaFolder = join(more, "java");
/** Java's options for a short life, where what compiles fast is faster than what runs fast. */
export const shortLived = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"] as const;
/** Folders for PYTHONPATH. */
export const pythonLibraries = join(more, "python-libraries");
export const aider = join(more, "aider");

/** Null: it is there. */
export function whyNotThere(path: string): string | null {
  return existsSync(path) ? null : "npm run test:clients installs it";
}
