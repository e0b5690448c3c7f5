// The playground: streamed answers of several models, their cost, stopping, settings, code, and answers that try to be more than text.
import { describe, expect, test } from "vitest";
import { chatWorld, language } from "../operations/chat/chat-gateway.ts";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { desktop, keepScreen, openPerson, phone, violationsOf } from "./people.ts";

describe.skipIf(chromiumPath === null)("Playground", () => {
  const chromium = useBrowser("the console's playground");
  const world = chatWorld([
    language("demo/one", ["chat"]),
    language("demo/two", ["chat+sim-tokens-20"]),
    language("demo/slow", ["chat+sim-tokens-2000+sim-pace-100ms"]),
    language("demo/down", ["chat+sim-fail-503"]),
    language("demo/sees", ["chat"], { input_modalities: ["text", "image"], supports_tools: true }),
    language("demo/tools", ["chat"], { supports_tools: true }),
  ]);
  const answered = (text: string | null) => /\$0\.0\d+/.test(text ?? "");

  test.each([
    ["desktop", desktop, "light"],
    ["phone", phone, "dark"],
  ] as const)("%s: two models answer side by side, each with what it was charged", async (device, viewport, colorScheme) => {
    const account = await world.account();
    const { page, faults, foreign, close } = await openPerson(chromium.browser, world.gateway, { account, viewport, colorScheme });
    await page.goto(`${world.gateway.url}/console/playground?models=demo/one`);
    await page.getByRole("button", { name: "Add model" }).click();
    await page.getByRole("combobox", { name: "Model 2" }).selectOption("demo/two");
    await page.getByLabel("System prompt").fill("Answer as a lighthouse keeper.");
    await page.getByLabel("Maximum tokens").fill("300");
    await page.getByRole("textbox", { name: "Message" }).fill("Name a lighthouse.");
    await page.getByRole("button", { name: "Send" }).click();
    const one = page.getByRole("region", { name: "demo/one" });
    const two = page.getByRole("region", { name: "demo/two" });
    await one.getByRole("link", { name: "Receipt" }).waitFor();
    await two.getByRole("link", { name: "Receipt" }).waitFor();
    expect(answered(await one.textContent()) && answered(await two.textContent())).toBe(true);
    // The costs are those of the ledger.
    const { spent } = await world.gateway.balance(account);
    const shown = await Promise.all(
      [one, two].map(async (answer) => Number(/Cost \$([\d.]+)/.exec((await answer.textContent()) ?? "")![1])),
    );
    expect(Number((shown[0]! + shown[1]!).toFixed(8))).toBe(spent);
    expect(world.sent().map(({ messages, max_tokens }) => [(messages as unknown[]).length, max_tokens])).toEqual([[2, 300], [2, 300]]); // prettier-ignore
    // The next message goes with the conversation of its own column.
    await page.getByRole("textbox", { name: "Message" }).fill("And another one?");
    await page.getByRole("textbox", { name: "Message" }).press("Enter");
    await page.getByRole("link", { name: "Receipt" }).nth(3).waitFor();
    expect((world.sent()[3]!["messages"] as unknown[]).length).toBe(4);
    expect([await violationsOf(page), faults, foreign]).toEqual([[], [], []]);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")).toBe(0);
    await keepScreen(page, `${device}-${colorScheme}-playground-answers`);
    const kept = await page.evaluate<string>("JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href");
    expect(kept).not.toMatch(/svcs?_/);
    await close();
  });

  test("Stop ends the answer; what came stays, is charged and goes on", async () => {
    const account = await world.account();
    const { page, faults, close } = await openPerson(chromium.browser, world.gateway, { account });
    await page.goto(`${world.gateway.url}/console/playground?models=demo/slow`);
    await page.getByRole("textbox", { name: "Message" }).fill("Write for a long time.");
    await page.getByRole("button", { name: "Send" }).click();
    const answer = page.getByRole("region", { name: "demo/slow" });
    await answer.getByText(/about \$0/).waitFor();
    await eventually(async () => expect(((await answer.textContent()) ?? "").length).toBeGreaterThan(120));
    await page.getByRole("button", { name: "Stop" }).click();
    await answer.getByText("Stopped").waitFor();
    await answer.getByText(/Cost \$0\.0/).waitFor();
    await page.getByRole("textbox", { name: "Message" }).fill("Go on");
    expect(await page.getByRole("button", { name: "Send" }).isEnabled()).toBe(true);
    expect(faults).toEqual([]);
    await close();
  });

  test("a failed answer says why with its request id, and the others stand", async () => {
    const { page, close } = await openPerson(chromium.browser, world.gateway, { account: await world.account() });
    await page.goto(`${world.gateway.url}/console/playground?models=demo/down,demo/one`);
    await page.getByRole("textbox", { name: "Message" }).fill("Hello");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("region", { name: "demo/down" }).getByRole("button", { name: "Copy request id" }).waitFor();
    await page.getByRole("region", { name: "demo/one" }).getByText(/Cost \$0\.0/).waitFor(); // prettier-ignore
    await close();
  });

  test("View code has the call as curl, TypeScript and Python, with the settings; a broken schema is said before anything is sent", async () => {
    const { page, faults, close } = await openPerson(chromium.browser, world.gateway, { account: await world.account() });
    await page.goto(`${world.gateway.url}/console/playground?models=demo/one`);
    await page.getByLabel("Temperature").fill("0.2");
    await page.getByLabel("Answer format").selectOption({ label: "JSON that follows a schema" });
    await page.getByRole("textbox", { name: "Message" }).fill('It\'s "quoted" and true');
    await page.getByRole("button", { name: "View code" }).click();
    const dialog = page.getByRole("dialog", { name: "View code" });
    await dialog.getByText(`It'\\''s \\"quoted\\" and true`).waitFor();
    for (const [name, text] of [["TypeScript", `"temperature": 0.2`], ["Python", `"strict": True`]] as const) {
      await dialog.getByRole("tab", { name }).click();
      await dialog.getByLabel(`Code, ${name}`).getByText(text).waitFor();
    } // prettier-ignore
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByLabel("JSON Schema").fill("{ not json");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("region", { name: "demo/one" }).getByText("The schema is not a JSON object.").waitFor();
    expect([world.sent(), faults]).toEqual([[], []]);
    await close();
  });

  test("an answer is text: no markup runs, no picture loads, no link of scripts is one", async () => {
    const { page, faults, foreign, close } = await openPerson(chromium.browser, world.gateway, { account: await world.account() });
    const hostile = [
      "<img src=x onerror=alert(1)><script>document.title='owned'</script>",
      "![picture](https://evil.example/track.png) [link](javascript:alert(1)) [page](https://evil.example/page)",
      "```html\n<script>alert(1)</script>\n```",
    ].join("\n\n");
    const chunk = (delta: object, rest: object = {}) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "demo/one", choices: [{ index: 0, delta, finish_reason: null }], ...rest })}\n\n`;
    // What a model writes can't be chosen by a test, so here it is written in its place.
    await page.route("**/v1/chat/completions", (route) =>
      route.fulfill({
        headers: { "content-type": "text/event-stream", "x-request-id": "req_0195c1f2c3d04e10" },
        body: `${chunk({ role: "assistant", content: hostile })}data: [DONE]\n\n`,
      }),
    );
    await page.goto(`${world.gateway.url}/console/playground?models=demo/one`);
    await page.getByRole("textbox", { name: "Message" }).fill("<b>Hello</b>");
    await page.getByRole("button", { name: "Send" }).click();
    const answer = page.getByRole("region", { name: "demo/one" });
    await answer.getByText("<img src=x onerror=alert(1)>").waitFor();
    expect(await answer.locator("img, script, iframe").count()).toBe(0);
    expect(await answer.locator("a[href^='javascript']").count()).toBe(0);
    expect(await answer.getByRole("link", { name: "page" }).getAttribute("rel")).toContain("noopener");
    expect([faults, foreign, await page.title()]).toEqual([[], [], "Playground · Console"]);
    await close();
  });

  test("pictures and tools go with a message; what the model would call is shown, and a broken list is said before anything is sent", async () => {
    const { page, faults, foreign, close } = await openPerson(chromium.browser, world.gateway, { account: await world.account() });
    await page.goto(`${world.gateway.url}/console/playground?models=demo/one`);
    await page.getByText("reads no pictures").waitFor();
    await page.getByRole("combobox", { name: "Model" }).selectOption("demo/sees");
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const chooser = page.getByLabel("Add pictures");
    await chooser.setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: Buffer.from(png, "base64") });
    await page.getByRole("img", { name: "dot.png" }).waitFor();
    await page.getByRole("textbox", { name: "Message" }).fill("What is the weather there?");
    await page.getByLabel("Tools").fill("{}");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("The tools are not a JSON array.").waitFor();
    expect(world.sent()).toEqual([]);
    await page.getByRole("button", { name: "New chat" }).click();
    const parameters = { type: "object", properties: { place: { type: "string" } }, required: ["place"] };
    await page.getByLabel("Tools").fill(JSON.stringify([{ type: "function", function: { name: "weather", parameters } }]));
    await chooser.setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: Buffer.from(png, "base64") });
    await page.getByRole("textbox", { name: "Message" }).fill("What is the weather there?");
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Send" }).click();
    const answer = page.getByRole("region", { name: "demo/sees" });
    await answer.getByRole("link", { name: "Receipt" }).waitFor();
    await answer.getByText(/weather\(/).waitFor();
    const [message] = world.sent()[0]!["messages"] as { content: { type: string; image_url?: { url: string } }[] }[];
    expect([message!.content.map(({ type }) => type), message!.content[1]!.image_url!.url]).toEqual([["text", "image_url"], expect.stringContaining(png)]); // prettier-ignore
    expect([await violationsOf(page), faults, foreign]).toEqual([[], [], []]);
    await keepScreen(page, "desktop-light-playground-tools");
    await close();
  });

  test("tool calls are answered in each column on its own, and the conversation goes on; View code has the round trip", async () => {
    const { page, faults, close } = await openPerson(chromium.browser, world.gateway, { account: await world.account() });
    await page.goto(`${world.gateway.url}/console/playground?models=demo/sees,demo/tools`);
    const parameters = { type: "object", properties: { place: { type: "string" } }, required: ["place"] };
    const tool = (name: string) => ({ type: "function", function: { name, parameters } });
    await page.getByLabel("Tools").fill(JSON.stringify([tool("weather"), tool("tides")]));
    await page.getByRole("textbox", { name: "Message" }).fill("Ask for weather and tides.");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const sees = page.getByRole("region", { name: "demo/sees", exact: true });
    const other = page.getByRole("region", { name: "demo/tools", exact: true });
    const send = sees.getByRole("button", { name: "Send results" });
    await sees.getByLabel("Result of weather").fill('{"sky":"clear"}');
    await other.getByLabel("Result of weather").waitFor();
    expect(await send.isEnabled()).toBe(false);
    await sees.getByLabel("Result of tides, call 2").fill("High at noon.\nLow at six.");
    expect([await other.getByLabel("Result of weather").inputValue(), await violationsOf(page)]).toEqual(["", []]);
    const first = world.sent().length;
    await send.click();
    await page.getByRole("region", { name: "demo/sees, answer 2" }).getByRole("link", { name: "Receipt" }).waitFor();
    const roundTrip = [
      { role: "user", content: "Ask for weather and tides." },
      { role: "assistant", content: null, tool_calls: [{ id: expect.any(String), type: "function", function: { name: "weather", arguments: expect.stringContaining("place") } }, expect.anything()] }, // prettier-ignore
      { role: "tool", tool_call_id: expect.any(String), content: '{"sky":"clear"}' },
      { role: "tool", tool_call_id: expect.any(String), content: "High at noon.\nLow at six." },
    ];
    const [sent, ...more] = world.sent().slice(first);
    expect([sent!["messages"], more]).toEqual([roundTrip, []]);
    const ids = JSON.stringify(sent!["messages"]).matchAll(/"(?:tool_call_)?id":"([^"]+)"/g);
    const [weather, tides, ...answered] = [...ids].map(([, id]) => id);
    expect(answered).toEqual([weather, tides]);
    // What was sent stands; it is not sent again.
    await sees.getByText("High at noon.").waitFor();
    expect(await send.count()).toBe(0);
    await page.getByRole("button", { name: "View code" }).click();
    const dialog = page.getByRole("dialog", { name: "View code" });
    await dialog.getByText(/"role": "tool"[^}]*"content": "High at noon/).waitFor();
    await page.keyboard.press("Escape");
    await keepScreen(page, "desktop-light-playground-tool-results");
    // The other column's calls were not answered, so they are left out of what follows.
    await page.getByRole("textbox", { name: "Message" }).fill("Thank you");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("region", { name: "demo/sees, answer 3" }).getByRole("link", { name: "Receipt" }).waitFor();
    const roles = world.sent().slice(-2).map(({ messages }) => (messages as { role: string }[]).map(({ role }) => role).join()); // prettier-ignore
    expect(roles.sort()).toEqual(["user", "user,assistant,tool,tool,assistant,user"]);
    expect([await violationsOf(page), faults]).toEqual([[], []]);
    await close();
  });

  test("results whose answer fails can be sent once more", async () => {
    const { page, close } = await openPerson(chromium.browser, world.gateway, { account: await world.account(), viewport: phone });
    await page.goto(`${world.gateway.url}/console/playground?models=demo/tools`);
    await page.getByLabel("Tools").fill(JSON.stringify([{ type: "function", function: { name: "weather" } }]));
    await page.getByRole("textbox", { name: "Message" }).fill("Ask for weather.");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByLabel("Result of weather").fill("Rain");
    await page.route("**/v1/chat/completions", (route) => route.abort(), { times: 1 });
    await page.getByRole("button", { name: "Send result" }).click();
    const next = page.getByRole("region", { name: "demo/tools, answer 2" });
    await next.getByText("The gateway did not answer.").waitFor();
    await page.getByRole("button", { name: "Send result" }).click();
    await next.getByRole("link", { name: "Receipt" }).waitFor();
    expect((world.sent().at(-1)!["messages"] as unknown[]).length).toBe(3);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")).toBe(0);
    await close();
  });
});
