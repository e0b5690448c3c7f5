// The playground's tabs beside Chat: what comes is shown and played, each with what it cost; waiting can end, failures say why, and the code
// that is shown does the same.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wavFile } from "../simulator/audio-check.ts";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { scratchFolder } from "../support/leftovers.ts";
import { desktop, keepScreen, openPerson, phone, violationsOf } from "./people.ts";

const provider = (id: string, protocol: string, base: string) => ({ id, protocol, base_url: `simulator:/${base}` });
const image = (id: string, more: object = {}) => ({
  ...{ id, type: "image", pricing: { mode: "per-image", usd_per_image: 0.04 }, routes: [{ provider: "studio", model: id }] },
  ...more,
});
const qualities = { mode: "per-quality", tiers: { low: 0.01, medium: 0.02, high: 0.3 }, default_quality: "medium" };
const catalog = {
  providers: [provider("studio", "fal", "fal"), provider("voices", "elevenlabs", "elevenlabs"), provider("north", "openai", "v1")],
  models: [
    image("img/plain"),
    image("img/quality", { pricing: qualities }),
    image("img/slow", { routes: [{ provider: "studio", model: "img/slow+sim-slow-60000ms" }] }),
    image("img/refused", { routes: [{ provider: "studio", model: "img/refused+sim-refuse" }] }),
    {
      ...{ id: "vid/one", type: "video", durations: [4, 8], default_duration_s: 4 },
      ...{ pricing: { mode: "per-second", usd_per_second: 0.1 }, routes: [{ provider: "studio", model: "tide/video" }] },
    },
    {
      ...{ id: "say/one", type: "speech", voice_family: "provider_a", default_voice: "lyra-narrator" },
      ...{ pricing: { mode: "per-1k-chars", usd_per_1k_chars: 0.405 }, routes: [{ provider: "voices", model: "multilingual" }] },
    },
    {
      ...{ id: "play/one", type: "speech", capability: "music", supported_parameters: ["music_length_ms", "response_format"] },
      ...{ pricing: { mode: "per-second", usd_per_second: 0.01 }, routes: [{ provider: "voices", model: "music" }] },
    },
    {
      ...{ id: "hear/one", type: "transcription", pricing: { mode: "per-minute", usd_per_minute: 0.01, min_billable_minutes: 1 } },
      routes: [{ provider: "north", model: "transcribe" }],
    },
    {
      ...{ id: "chat/one", type: "language", context_window: 8_000, max_output_tokens: 1_000 },
      ...{ pricing: { mode: "per-token", input: 1, output: 1 }, routes: [{ provider: "north", model: "chat" }] },
    },
  ],
};

describe.skipIf(chromiumPath === null)("the playground's media", () => {
  const chromium = useBrowser("the playground's media");
  let gateway: Gateway;
  let folder: string;
  beforeAll(async () => {
    folder = scratchFolder("media-");
    writeFileSync(join(folder, "harbour.wav"), wavFile(2.5));
    gateway = await startGateway({ catalog: JSON.stringify(catalog) });
  });
  afterAll(() => gateway?.stop());

  const open = async (tab: string, options: Partial<Parameters<typeof openPerson>[2]> = {}) => {
    const account = await gateway.createAccount({ deposit: "20" });
    const person = await openPerson(chromium.browser, gateway, { account, ...options });
    await person.page.goto(`${gateway.url}/console/playground?tab=${tab}`);
    await person.page.getByRole("combobox", { name: "Model" }).waitFor();
    return { account, ...person };
  };
  const choose = (page: Page, model: string) => page.getByRole("combobox", { name: "Model" }).selectOption(model);
  const costOf = async (run: Locator) => Number(/Cost \$([\d.]+)/.exec((await run.textContent()) ?? "")?.[1]);
  const done = async (run: Locator) => {
    await run.getByRole("link", { name: "Receipt" }).waitFor();
    return costOf(run);
  };

  test.each([
    ["desktop", desktop, "light"],
    ["phone", phone, "dark"],
  ] as const)("%s: images, speech, music, a transcript and a video come, each with its charge", async (device, viewport, colorScheme) => {
    const { account, page, faults, foreign, close } = await open("images", { viewport, colorScheme });
    const tab = (name: string) => page.getByRole("tab", { name, exact: true }).click();
    const look = async (name: string) => {
      expect([name, await violationsOf(page), await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")]).toEqual([name, [], 0]); // prettier-ignore
      await keepScreen(page, `${device}-${colorScheme}-playground-${name}`);
    };
    const costs: number[] = [];

    await choose(page, "img/quality");
    await page.getByLabel("Prompt").fill("A lighthouse at dusk");
    await page.getByLabel("Number of images").fill("2");
    await page.getByLabel("Quality").selectOption("low");
    await page.getByRole("button", { name: "Generate" }).click();
    const pictures = page.getByRole("region", { name: "img/quality" });
    costs.push(await done(pictures));
    const loaded = '[...document.querySelectorAll("section img")].filter((one) => one.complete && one.naturalWidth > 0).length';
    await eventually(async () => expect(await page.evaluate(loaded)).toBe(2));
    await look("images");

    await tab("Speech");
    await page.getByLabel("Text").fill("The harbour opens at six.");
    await page.getByLabel("Voice").focus();
    await page.getByLabel("Voice").locator("option").nth(1).waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Speak" }).click();
    const speech = page.getByRole("region", { name: "say/one" });
    costs.push(await done(speech));
    expect(await speech.locator("audio[src^='blob:']").count()).toBe(1);
    await look("speech");

    await tab("Music");
    await page.getByLabel("Description").fill("Calm piano");
    await page.getByLabel("Length (seconds)").fill("3");
    await page.getByRole("button", { name: "Compose" }).click();
    costs.push(await done(page.getByRole("region", { name: "play/one" })));
    await look("music");

    await tab("Transcription");
    expect(await page.getByRole("button", { name: "Transcribe" }).isDisabled()).toBe(true);
    await page.getByLabel("Recording").setInputFiles(join(folder, "harbour.wav"));
    await page.getByRole("button", { name: "Transcribe" }).click();
    const transcript = page.getByRole("region", { name: "hear/one" });
    costs.push(await done(transcript));
    await transcript.getByText(/segment/).click();
    await look("transcription");

    await tab("Video");
    await page.getByLabel("Prompt").fill("Waves");
    await page.getByRole("button", { name: "Generate" }).click();
    const video = page.getByRole("region", { name: "vid/one" });
    costs.push(await done(video));
    expect(await video.locator("video").getAttribute("src")).toContain(`${gateway.url}/media/`);
    await look("video");

    const { spent, reserved } = await gateway.balance(account);
    expect([costs.every((cost) => cost > 0), Number(costs.reduce((sum, cost) => sum + cost, 0).toFixed(8)), reserved]).toEqual([true, spent, 0]); // prettier-ignore
    await tab("Images");
    await pictures.getByRole("link", { name: "Save" }).first().waitFor();
    expect([faults, foreign]).toEqual([[], []]);
    const kept = await page.evaluate<string>("JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href");
    expect(kept).not.toMatch(/svcs?_/);
    await close();
  });

  test("Stop ends the waiting for a job, which goes on and can be waited for again; a refused one says why and costs nothing", async () => {
    const { account, page, faults, close } = await open("images");
    await choose(page, "img/slow");
    await page.getByLabel("Prompt").fill("A lighthouse");
    await page.getByRole("button", { name: "Generate" }).click();
    const slow = page.getByRole("region", { name: "img/slow" });
    await slow.getByText("In progress").waitFor();
    await slow.getByRole("button", { name: "Stop" }).click();
    await slow.getByText("Stopped").waitFor();
    await slow.getByRole("button", { name: "Wait again" }).click();
    await slow.getByText("In progress").waitFor();
    await slow.getByRole("button", { name: "Stop" }).click();
    await choose(page, "img/refused");
    await page.getByRole("button", { name: "Generate" }).click();
    const refused = page.getByRole("region", { name: "img/refused" });
    await refused.getByRole("alert").filter({ hasText: "Nothing is charged." }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect([faults, (await gateway.balance(account)).spent]).toEqual([[], 0]);
    await close();
  });

  test("View code of each tab is the call that was made: its curl, run as it stands, answers", async () => {
    const { account, page, faults, close } = await open("images");
    const shell = async (code: string) => {
      const env = { PATH: process.env["PATH"], SVC_KEY: account.key };
      return (await promisify(execFile)("sh", ["-c", code], { cwd: folder, env, maxBuffer: 2 ** 24 })).stdout;
    };
    const codes = async () => {
      await page.getByRole("button", { name: "View code" }).click();
      const dialog = page.getByRole("dialog", { name: "View code" });
      const found: string[] = [];
      for (const name of ["curl", "TypeScript", "Python"]) {
        await dialog.getByRole("tab", { name }).click();
        found.push((await dialog.getByLabel(`Code, ${name}`).textContent()) ?? "");
      }
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      expect([found[1], found[2]]).toEqual([expect.stringContaining('import Svc from "svc-sdk"'), expect.stringContaining("import requests")]); // prettier-ignore
      return found[0]!;
    };
    await choose(page, "img/plain");
    await page.getByLabel("Prompt").fill(`It's a "lighthouse"`);
    expect(await shell(await codes())).toContain('"status":"succeeded"');
    await page.getByRole("tab", { name: "Video" }).click();
    await page.getByLabel("Prompt").fill("Waves");
    expect(await shell(await codes())).toContain('"status":"succeeded"');
    await page.getByRole("tab", { name: "Speech" }).click();
    await page.getByLabel("Text").fill("Good evening");
    await shell(await codes());
    expect(readFileSync(join(folder, "speech.mp3")).length).toBeGreaterThan(1_000);
    await page.getByRole("tab", { name: "Music" }).click();
    await page.getByLabel("Description").fill("Calm piano");
    await page.getByLabel("Length (seconds)").fill("2");
    await shell(await codes());
    expect(readFileSync(join(folder, "music.mp3")).length).toBeGreaterThan(1_000);
    await page.getByRole("tab", { name: "Transcription" }).click();
    await page.getByLabel("Recording").setInputFiles(join(folder, "harbour.wav"));
    expect(await shell(await codes())).toContain('"task":"transcribe"');
    expect(faults).toEqual([]);
    await close();
  });
});
