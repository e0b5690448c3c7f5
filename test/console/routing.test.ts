// Why a call went where it went: the receipt's choice of the route, in the dialog of the Logs page.
import { describe, expect, test } from "vitest";
import { chatWorld, language, provider } from "../operations/chat/chat-gateway.ts";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { keepScreen, openPerson, phone, violationsOf } from "./people.ts";

const cost = (input: number) => ({ cost: { input, output: input } });

describe.skipIf(chromiumPath === null)("the choice of the route", () => {
  const chromium = useBrowser("the choice of the route");
  const world = chatWorld(
    [
      language("demo/plain", ["plain"]),
      language("demo/by-price", [{ model: "dear", ...cost(0.4) }, { model: "cheap", ...cost(0.1) }, "unknown"], { route_by: "price" }),
      language("demo/by-latency", ["late-a", "late-b"], { route_by: "latency" }),
      language("demo/broken", [{ model: "broken-a", ...cost(0.4) }, { model: "broken-b+sim-fail-503", ...cost(0.1) }], { route_by: "price" }),
    ],
    { providers: [provider("north", { label: "blue" }), provider("south"), provider("west")] },
  ); // prettier-ignore

  test("says by what the routes were ordered, each one's score, and whether the first did not answer; without a choice it is left out", async () => {
    const account = await world.account();
    for (const [route, ms] of [["north/late-a", 200], ["south/late-b", 50]] as const) world.gateway.context.routeFigures.answered(route, ms, 1); // prettier-ignore
    const { page, faults, close } = await openPerson(chromium.browser, world.gateway, { account, viewport: phone });
    const choice = page.getByRole("dialog", { name: "Request" }).getByRole("region", { name: "How the route was chosen" });
    const rows = async () => (await choice.getByRole("listitem").allInnerTexts()).map((text) => text.replaceAll("\n", " "));
    const open = async (model: string) => {
      const { headers } = await world.chat(account, { model });
      await page.goto(`${world.gateway.url}/console/logs?request=${headers["x-request-id"]}`);
      await page.getByRole("dialog", { name: "Request" }).getByRole("region", { name: "Receipt" }).waitFor();
    };
    await open("demo/by-price");
    await choice.getByText("Routes were tried by what they cost the operator.").waitFor();
    expect(await rows()).toEqual(["demo/by-price 1 × the cheapest", "demo/by-price blue 4 × the cheapest", "demo/by-price –"]);
    expect(await violationsOf(page)).toEqual([]);
    await keepScreen(page, "phone-light-choice-of-the-route");
    await open("demo/by-latency");
    await choice.getByText("Routes were tried by how soon they answered lately.").waitFor();
    expect(await rows()).toEqual(["demo/by-latency 50 ms", "demo/by-latency blue 200 ms"]);
    await open("demo/broken");
    await choice.getByText("The first did not answer.").waitFor();
    await open("demo/plain");
    expect(await choice.count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });
});
