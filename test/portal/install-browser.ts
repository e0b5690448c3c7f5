// npm run browser:install: Debian's chromium for the browser test, where we may install it. Says so where not, and never fails.
import { spawnSync } from "node:child_process";
import { findBrowser } from "../support/find-browser.ts";

function install(): string {
  const found = findBrowser();
  if (found !== null) return `browser: ${found}`;
  if (process.getuid?.() !== 0) return "browser: none found, and only root can install one: the browser test is skipped";
  const apt = (...words: string[]) =>
    spawnSync("apt-get", ["-q", "-y", ...words], { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
  if (apt("install", "--no-install-recommends", "chromium").status !== 0) {
    apt("update");
    apt("install", "--no-install-recommends", "chromium");
  }
  const installed = findBrowser();
  return installed === null ? "browser: apt-get could not install chromium: the browser test is skipped" : `browser: ${installed}`;
}

console.log(install());
