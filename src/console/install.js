// Builds the console after an install. Where its tools are left out (npm ci --omit=dev) it says so: the gateway then has no /console.
// JavaScript, so that it can say so on a Node that reads no TypeScript.
/* eslint-disable no-console */
try {
  const { build } = await import("vite");
  await build({ configFile: new URL("vite.config.ts", import.meta.url).pathname, logLevel: "warn" });
  console.log("The console is built: dist/console.");
} catch (error) {
  const { code, message } = error instanceof Error ? /** @type {NodeJS.ErrnoException} */ (error) : { code: "", message: String(error) };
  const reason = code === "ERR_MODULE_NOT_FOUND" ? "its tools are not installed" : message;
  console.warn(`The console is not built, so the gateway has none: ${reason}. Build it with: npm run console:build`);
  if (process.argv.includes("--strict")) process.exitCode = 1;
}
