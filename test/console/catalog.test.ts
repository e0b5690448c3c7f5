// An operator puts another catalog to use at the console and goes back, and a customer sees since when a price holds.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { language, provider } from "../operations/chat/chat-gateway.ts";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { give, newOperator, openOperator } from "./operators.ts";
import { desktop, keepScreen, openPerson, phone, violationsOf } from "./people.ts";

const textOf = (output: number) =>
  JSON.stringify(
    { providers: [provider("north")], models: [{ ...language("demo/chat", [{ model: "chat", cost: { input: 0.25, output: 2 } }]), pricing: { mode: "per-token", input: 1, output } }] }, // prettier-ignore
    null,
    2,
  );

describe.skipIf(chromiumPath === null)("the catalog at the console", () => {
  const chromium = useBrowser("operators who apply a catalog");
  let gateway: Gateway;
  beforeAll(async () => void (gateway = await startGateway({ catalog: textOf(4) })));
  afterAll(() => gateway?.stop());

  test("a file's changes are shown, it is applied with a reason, is a version, and is taken back", async () => {
    const { page, account, faults, close } = await openOperator(chromium.browser, gateway, "admin");
    await page.goto(`${gateway.url}/console/operator/catalog`);
    const versions = page.getByRole("table", { name: "Versions" });
    await page.getByText("No version was applied").waitFor();
    const apply = page.getByRole("button", { name: "Apply" });
    expect(await apply.isDisabled()).toBe(true);

    const file = { name: "next.json", mimeType: "application/json", buffer: Buffer.from(textOf(1)) };
    await page.getByLabel("Read it from a file").setInputFiles(file);
    await expect.poll(() => page.getByRole("textbox", { name: "Catalog file" }).inputValue()).toBe(textOf(1));
    await page.getByRole("button", { name: "Show changes" }).click();
    await page.getByRole("table", { name: "Model changes" }).getByText("pricing.output").waitFor();
    await apply.click();
    await page.getByRole("dialog", { name: "Apply" }).getByText(/demo\/chat is sold below cost/).waitFor(); // prettier-ignore
    expect(await violationsOf(page)).toEqual([]);
    await keepScreen(page, "desktop-light-operator-catalog-apply");
    await give(page, "a sale", "Apply");
    await versions.getByRole("row", { name: `1 In use` }).getByText(account.email).waitFor();
    await page.getByRole("region", { name: "In use" }).getByText("None: it was applied").waitFor();

    // Another operator was faster.
    await page.getByRole("textbox", { name: "Catalog file" }).fill(textOf(5));
    await page.getByRole("button", { name: "Show changes" }).click();
    await page.getByRole("table", { name: "Model changes" }).getByText("pricing.output").waitFor();
    const other = (await gateway.createSession(await newOperator(gateway, "admin"))).token;
    const body = { text: textOf(6), expected_version: 1, reason: "faster" };
    expect((await gateway.request("POST", "/v1/operator/catalog/apply", { key: other, body })).status).toBe(200);
    await apply.click();
    await give(page, "too late", "Apply");
    await page.getByRole("dialog", { name: "Apply" }).getByText(/version 2 of the catalog is in use by now, not 1/).waitFor(); // prettier-ignore
    await page.keyboard.press("Escape");

    await page.reload();
    await page.getByRole("button", { name: "Revert" }).click();
    await give(page, "no", "Revert");
    await versions.getByRole("row", { name: "3 In use" }).getByText("Back to version 1").waitFor();
    await page.goto(`${gateway.url}/console/operator/audit`);
    await page.getByRole("table").getByText("catalog.revert").first().waitFor();
    expect(faults.filter((fault) => !fault.includes("409"))).toEqual([]);
    await close();
  });

  test("support sees the versions, and is offered neither to apply nor to revert", async () => {
    const { page, close } = await openOperator(chromium.browser, gateway, "support");
    await page.goto(`${gateway.url}/console/operator/catalog`);
    await page.getByRole("table", { name: "Versions" }).getByRole("row").nth(1).waitFor();
    for (const name of ["Apply", "Revert"]) expect(await page.getByRole("button", { name }).count()).toBe(0);
    await close();
  });

  test.each([
    ["desktop", desktop, "light"],
    ["phone", phone, "dark"],
    ["desktop", desktop, "dark"],
    ["phone", phone, "light"],
  ] as const)("the versions and a model's changes of price hold: %s, %o, %s", async (device, viewport, colorScheme) => {
    const account = await newOperator(gateway, "admin");
    const { page, faults, close } = await openPerson(chromium.browser, gateway, { viewport, colorScheme, account });
    await page.goto(`${gateway.url}/console/operator/catalog`);
    await page.getByRole("table", { name: "Versions" }).getByRole("row").nth(1).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await keepScreen(page, `${device}-${colorScheme}-operator-catalog-versions`);
    await page.goto(`${gateway.url}/console/models/demo/chat`);
    await page.getByRole("list", { name: "Changes of the price" }).getByText("output from $4").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await keepScreen(page, `${device}-${colorScheme}-model-prices`);
    expect(faults).toEqual([]);
    await close();
  });
});
