// Builds the console after an install. Where its tools are left out (npm ci --omit=dev) it says so: the gateway then has no /console.
// JavaScript, so that it can say so on a Node that reads no TypeScript.
import { existsSync, mkdtempSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const place = fileURLToPath(new URL("../../dist/console", import.meta.url));

try {
  const { build } = await import("vite");
  mkdirSync(fileURLToPath(new URL("../../dist", import.meta.url)), { recursive: true });
  // Built beside its place and moved there whole: a gateway that starts meanwhile, or a second build, never meets half of it.
  const folder = mkdtempSync(`${place}-`);
  try {
    await build({ configFile: fileURLToPath(new URL("vite.config.ts", import.meta.url)), logLevel: "warn", build: { outDir: folder } });
    putInPlace(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log("The console is built: dist/console.");
} catch (error) {
  const { code, message } = error instanceof Error ? /** @type {NodeJS.ErrnoException} */ (error) : { code: "", message: String(error) };
  const reason = code === "ERR_MODULE_NOT_FOUND" ? "its tools are not installed" : message;
  console.warn(`The console is not built, so the gateway has none: ${reason}. Build it with: npm run console:build`);
  if (process.argv.includes("--strict")) process.exitCode = 1;
}

/** @param {string} folder a whole build */
function putInPlace(folder) {
  const earlier = `${folder}-earlier`;
  try {
    if (existsSync(place)) renameSync(place, earlier);
    renameSync(folder, place);
  } catch (error) {
    // Another build of this moment put its own there first.
    if (!existsSync(place)) throw error;
  }
  rmSync(earlier, { recursive: true, force: true });
}
