// Automatic top-ups at the console: a card is saved, the consent turns them on, and the removal of the card turns them off.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { get, look, on, saveCard } from "../operations/credits/auto-topup-gateway.ts";
import { startTopupGateway, type TopupGateway } from "../operations/credits/topup-gateway.ts";
import { desktop, keepScreen, openPerson, phone, violationsOf } from "./people.ts";

describe.skipIf(chromiumPath === null)("Automatic top-ups", () => {
  const chromium = useBrowser("automatic top-ups");
  let gateway: TopupGateway;
  beforeAll(async () => void (gateway = await startTopupGateway()));
  afterAll(() => gateway?.stop());

  test.each([
    ["light", desktop],
    ["dark", phone],
  ] as const)(
    "%s: a card is saved at the provider, the switch asks for the consent and turns all off, and the card is removed",
    async (colorScheme, viewport) => {
      const account = await gateway.signedIn();
      const { page, faults, close } = await openPerson(chromium.browser, gateway, { account, viewport, colorScheme });
      await page.route("https://checkout.stripe.example/**", (route) =>
        route.fulfill({ contentType: "text/html", body: "<h1>A card, please</h1>" }),
      );
      await page.goto(`${gateway.url}/console/credit`);
      const card = page.getByRole("region", { name: "Automatic top-ups" });
      await card.getByRole("button", { name: "Save a card" }).click();
      await page.getByRole("heading", { name: "A card, please" }).waitFor();

      await saveCard(gateway, account);
      await page.goto(`${gateway.url}/console/credit`);
      await card.getByText("visa ending in 4242, valid until 04/2030").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      const toggle = card.getByRole("switch", { name: "Auto top-up" });
      await toggle.click();
      const dialog = page.getByRole("dialog", { name: "Automatic top-ups" });
      await dialog.getByLabel("Add (USD)").fill("30");
      const submit = dialog.getByRole("button", { name: "Turn on" });
      await submit.click();
      expect(await dialog.getByRole("checkbox").evaluate((box) => box.matches(":invalid"))).toBe(true);
      expect((await get(gateway, account)).enabled).toBe(false);
      await dialog.getByRole("checkbox").check();
      expect(await violationsOf(page)).toEqual([]);
      await keepScreen(page, `auto-topup-dialog-${colorScheme}`);
      await submit.click();
      await card.getByText("Below $5.00 the card is charged $30.00").waitFor();
      expect(await get(gateway, account)).toMatchObject({ enabled: true, amount_usd: 30, consent: { version: on.consent_version } });

      await toggle.click();
      await expect.poll(async () => (await get(gateway, account)).enabled).toBe(false);
      await expect.poll(() => toggle.isChecked()).toBe(false);
      await toggle.click();
      await dialog.getByRole("checkbox").check();
      await submit.click();
      await expect.poll(() => toggle.isChecked()).toBe(true);

      gateway.stripe.cards.declines.push({ code: "authentication_required" });
      await look(gateway);
      await page.reload();
      await card.getByText("The card needs your confirmation").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await keepScreen(page, `auto-topup-${colorScheme}`);

      await card.getByRole("button", { name: "Remove card" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Remove card" }).click();
      await card.getByRole("button", { name: "Save a card" }).waitFor();
      expect(await get(gateway, account)).toMatchObject({ enabled: false, card: null });
      expect(faults).toEqual([]);
      await close();
    },
  );

  test("where saved cards can't be charged there is no such region", async () => {
    const account = await gateway.signedIn();
    const { page, close } = await openPerson(chromium.browser, gateway, { account });
    await page.route("**/v1/credits/auto-topup", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), available: false } });
    });
    const answered = page.waitForResponse("**/v1/credits/auto-topup");
    await page.goto(`${gateway.url}/console/credit`);
    await page.getByRole("region", { name: "Balance" }).waitFor();
    await answered;
    await expect.poll(() => page.getByRole("region", { name: "Automatic top-ups" }).count()).toBe(0);
    await close();
  });
});
