// A page of a browser that may reach chosen addresses alone, with all that went wrong on it.
import type { Browser } from "playwright-core";

export interface Opened {
  viewport: { width: number; height: number };
  /** Origins. */
  allowed: readonly string[];
  colorScheme: "light" | "dark";
}

/** Scalar moves while it loads. Where there is no GPU a processor draws that, and has as much to do with it as with the reference itself. */
export const still = { reducedMotion: "reduce" } as const;

export async function openPage(browser: Browser, { viewport, allowed, colorScheme }: Opened) {
  const context = await browser.newContext({ viewport, colorScheme, ...still });
  const page = await context.newPage();
  page.setDefaultTimeout(150_000);
  const faults: string[] = [];
  const foreign: string[] = [];
  await context.route("**/*", (route) => {
    const url = route.request().url();
    if (allowed.some((origin) => url.startsWith(`${origin}/`))) return route.continue();
    foreign.push(url);
    return route.abort();
  });
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("response", (response) => response.status() >= 400 && faults.push(`${response.status()} ${response.url()}`));
  return { page, faults, foreign };
}
