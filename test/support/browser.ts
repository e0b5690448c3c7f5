// The Chromium of a test file: one process, started with the file and ended after it. Null where none is installed (npm run tools:install).
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { findTool } from "./find-tool.ts";

export const chromiumPath = findTool("chromium-headless-shell");

/** `what` is not tested where there is none. To be called where hooks are registered. */
export function useBrowser(what: string): { readonly browser: Browser } {
  if (chromiumPath === null) console.warn(`skipped: ${what}: no Chromium is on the PATH`);
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (chromiumPath !== null) browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
  });
  afterAll(() => browser?.close());
  return {
    get browser() {
      return browser!;
    },
  };
}
