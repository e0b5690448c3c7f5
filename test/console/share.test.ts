// A conversation of the playground shared by a link: it opens in its workspace alone, runs nothing by itself, and never reaches the server.
import { deflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { chatWorld, language } from "../operations/chat/chat-gateway.ts";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Person, keepScreen, openPerson, phone, violationsOf } from "./people.ts";

describe.skipIf(chromiumPath === null)("Shared conversations", () => {
  const chromium = useBrowser("the console's shared conversations");
  const world = chatWorld([language("demo/one", ["chat"]), language("demo/two", ["chat"], { supports_tools: true })]);
  const open = (options: Parameters<typeof openPerson>[2]) => openPerson(chromium.browser, world.gateway, options);
  const codeOf = (value: unknown) => deflateRawSync(JSON.stringify(value)).toString("base64url");
  const heading = (page: Person["page"]) => page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();

  test("a member opens it with its answers, tool calls, costs and parameters, and goes on; a stranger is refused", async () => {
    const owner = await world.account();
    const { page, faults, close } = await open({ account: owner });
    await page.goto(`${world.gateway.url}/console/playground?models=demo/one,demo/two`);
    expect(await page.getByRole("button", { name: "Share" }).isEnabled()).toBe(false);
    await page.getByLabel("System prompt").fill("Answer in “prose”.");
    await page.getByLabel("Tools").fill(JSON.stringify([{ type: "function", function: { name: "weather" } }]));
    await page.getByRole("textbox", { name: "Message" }).fill("Ask for weather.");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("region", { name: "demo/one" }).getByText("supports no tools").or(page.getByRole("alert")).first().waitFor();
    await page.getByLabel("Result of weather").fill("Snow");
    await page.getByRole("button", { name: "Send result" }).click();
    const last = page.getByRole("region", { name: "demo/two, answer 2" });
    await last.getByRole("link", { name: "Receipt" }).waitFor();
    const text = await last.textContent();
    await page.getByRole("button", { name: "Share" }).click();
    const link = await page.getByRole("dialog").getByLabel("Link").inputValue();
    expect([await violationsOf(page), link.split("#")[0]]).toEqual([[], `${world.gateway.url}/console/playground`]);
    await keepScreen(page, "desktop-light-playground-share");
    await close();

    const member = await world.account();
    await world.gateway.context.db.pool.query(
      "insert into member (account_id, person_id, role, created_at) values ($1, $2, 'developer', now())",
      [owner.accountId, member.accountId],
    );
    const before = world.sent().length;
    const guest = await open({ account: member, viewport: phone, colorScheme: "dark" });
    const asked: string[] = [];
    guest.page.on("request", (request) => void asked.push(`${request.method()} ${request.url()} ${request.postData() ?? ""}`));
    await guest.page.goto(link);
    await guest.page.getByText("belongs to another of your workspaces").waitFor();
    expect([await violationsOf(guest.page), await guest.page.getByText("Snow").count()]).toEqual([[], 0]);
    await keepScreen(guest.page, "phone-dark-playground-shared");
    await guest.page.getByRole("button", { name: "Go to that workspace" }).click();
    const shown = guest.page.getByRole("region", { name: "demo/two, answer 2" });
    await shown.waitFor();
    expect(await shown.textContent()).toBe(text);
    await guest.page.getByText("Snow").waitFor();
    await guest.page.getByText("This conversation came with a link.").waitFor();
    expect([await guest.page.getByLabel("System prompt").inputValue(), await violationsOf(guest.page)]).toEqual(["Answer in “prose”.", []]);
    // Nothing ran, and what is behind the # stayed in the browser.
    expect([world.sent().length, guest.page.url(), asked.filter((one) => one.includes("chat=") || one.startsWith("POST"))]).toEqual([
      before,
      `${world.gateway.url}/console/playground?models=demo%2Fone%2Cdemo%2Ftwo`,
      [],
    ]);
    await guest.page.getByRole("textbox", { name: "Message" }).fill("And now?");
    await guest.page.getByRole("button", { name: "Send", exact: true }).click();
    await guest.page.getByRole("region", { name: "demo/two, answer 3" }).getByRole("link", { name: "Receipt" }).waitFor();
    const roles = world.sent().slice(before).map(({ messages }) => (messages as { role: string }[]).map(({ role }) => role).join()); // prettier-ignore
    expect(roles).toContain("system,user,assistant,tool,assistant,user");

    const stranger = await open({ account: await world.account() });
    await stranger.page.goto(link);
    await stranger.page.getByText("belongs to another workspace. Only its members can open it.").waitFor();
    expect(await stranger.page.getByText("Snow").count()).toBe(0);
    await stranger.page.getByRole("button", { name: "Dismiss" }).click();
    await stranger.page.getByRole("combobox", { name: "Model" }).waitFor();
    expect([faults, guest.faults, guest.foreign, stranger.faults]).toEqual([[], [], [], []]);
    await guest.close();
    await stranger.close();
  });

  test("a link asks before it takes the place of a conversation; a broken, a huge and a hostile one do nothing", async () => {
    const { page, faults, foreign, close } = await open({ account: await world.account() });
    const at = `${world.gateway.url}/console/playground`;
    await page.goto(at);
    await heading(page);
    const workspace = await page.evaluate<string>("fetch('/v1/workspace').then((reply) => reply.json()).then(({ id }) => id)");
    const settings = { system: "", temperature: "", topP: "", maxTokens: "", effort: "", format: "text", schema: "", tools: "" };
    const answer = { column: 1, model: "<b>", text: "", reasoning: "", calls: [], answered: false, whole: true, cost: null, requestId: "javascript:1", firstMs: null, wholeMs: 1 }; // prettier-ignore
    const hostile = "<script>alert(1)</script> ![p](https://evil.example/p.png) [go](javascript:alert(1))";
    const turns = [{ text: hostile, answers: [{ ...answer, text: hostile }] }];
    const good = { version: 1, workspace, columns: [{ id: 1, model: "gone" }], turns, settings };
    const show = (code: string) => page.evaluate(`location.hash = ${JSON.stringify(`chat=${code}`)}`);
    for (const code of ["", "AAAA", "é", codeOf({ ...good, turns: [{ text: 1 }] }), codeOf({ ...good, turns: "x".repeat(2_000_000) })]) {
      await show(code);
      await page.getByText("The link has no conversation in it").waitFor();
      await page.getByRole("button", { name: "Dismiss" }).click();
    }
    await page.getByRole("textbox", { name: "Message" }).fill("My own");
    await show(codeOf(good));
    await page.getByText("Opening the linked conversation replaces the one that is here.").waitFor();
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("My own");
    await page.getByRole("button", { name: "Open it" }).click();
    await page.getByRole("region", { name: "<b>" }).getByText("<script>alert(1)</script>").waitFor();
    // The model is no longer there: the first that is takes its place.
    expect(await page.getByRole("combobox", { name: "Model" }).inputValue()).toBe("demo/one");
    const main = page.getByRole("main");
    expect(await main.locator("img, script, iframe, a[href^='javascript']").count()).toBe(0);
    expect([await page.getByRole("link", { name: "Receipt" }).count(), page.url().includes("#"), faults, foreign, world.sent()]).toEqual([0, false, [], [], []]); // prettier-ignore
    await close();
  });

  test("without a session it opens after the sign-in, and the sign-in's address does not hold it", async () => {
    const { page, close } = await open({});
    await page.goto(`${world.gateway.url}/console/playground?models=demo/one#chat=AAAA`);
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    expect(page.url()).toBe(`${world.gateway.url}/console/sign-in?next=%2Fplayground%3Fmodels%3Ddemo%252Fone`);
    await close();
  });
});
