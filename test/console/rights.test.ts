// What a role may not do is not offered, and the page says why; what the console thinks of roles is what the contract says.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { desktop, keepScreen, openPerson, phone, violationsOf } from "./people.ts";

interface Operation {
  operationId?: string;
  "x-roles"?: string[];
}

test("the console's rights are the contract's", () => {
  const text = readFileSync("src/console/lib/rights.ts", "utf8");
  const listed = (right: string) => new RegExp(`${right}: \\[([^\\]]*)\\]`).exec(text)![1]!.replaceAll('"', "").split(", ");
  const contract = JSON.parse(readFileSync("generated/openapi.json", "utf8")) as { paths: Record<string, Record<string, Operation>> };
  const allowed = Object.fromEntries(
    Object.values(contract.paths)
      .flatMap((path) => Object.values(path))
      .map((operation) => [operation.operationId, operation["x-roles"]]),
  );
  const pairs = { keys: "createApiKey", readKeys: "listApiKeys", pay: "createTopup", manage: "createWebhook" };
  for (const [right, operation] of Object.entries(pairs)) expect([right, listed(right)]).toEqual([right, allowed[operation]]);
  const paying = ["redeemVoucher", "listStatements", "getAutoTopup", "updateAutoTopup", "startCardSetup", "removeCard"];
  for (const operation of paying) expect([operation, allowed[operation]]).toEqual([operation, allowed["createTopup"]]);
});

describe.skipIf(chromiumPath === null)("roles", () => {
  const chromium = useBrowser("the console's roles");
  let gateway: Gateway;
  let owner: TestAccount;
  let workspace: string;
  beforeAll(async () => {
    gateway = await startGateway();
    owner = await gateway.createAccount({ deposit: "20" });
    const { token } = await gateway.createSession(owner);
    workspace = (await gateway.request("GET", "/v1/workspace", { key: token })).json.id as string;
  });
  afterAll(() => gateway?.stop());

  const buttons = {
    "": ["Create key", "Add credit"],
    "/keys": ["Create key"],
    "/credit": ["Add credit", "Redeem voucher", "Invoices"],
    "/members": ["Invite"],
    "/settings": ["Add endpoint", "Save"],
    "/playground": [],
    "/credit/invoices": [],
    "/logs": [],
    "/usage?group=key": [],
  };
  test.each([
    ["viewer", desktop, "dark", { may: [], notes: ["/keys", "/credit", "/members", "/settings", "/playground", "/credit/invoices"] }],
    [
      "billing",
      phone,
      "light",
      { may: ["Add credit", "Redeem voucher", "Invoices"], notes: ["/keys", "/members", "/settings", "/playground"] },
    ],
    ["developer", desktop, "light", { may: ["Create key"], notes: ["/credit", "/members", "/settings", "/credit/invoices"] }],
  ] as const)("%s: is offered what the role has, and told why the rest is missing", async (role, viewport, colorScheme, { may, notes }) => {
    const account = await gateway.createAccount();
    await gateway.context.db.pool.query("insert into member (account_id, person_id, role, created_at) values ($1, $2, $3, now())", [
      ...[owner.accountId, account.accountId, role],
    ]);
    const { page, faults, close } = await openPerson(chromium.browser, gateway, { account, viewport, colorScheme });
    await page.addInitScript(`sessionStorage.setItem("console-workspace", ${JSON.stringify(workspace)})`);
    const refused: string[] = [];
    page.on("response", (reply) => void (reply.status() >= 400 && refused.push(`${reply.status()} ${reply.url()}`)));
    const noted: string[] = [];
    for (const [path, names] of Object.entries(buttons)) {
      await page.goto(`${gateway.url}/console${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
      const main = page.getByRole("main");
      const shown = async () => {
        const found = [];
        for (const name of names) {
          const exact = { name, exact: true };
          if ((await main.getByRole("button", exact).or(main.getByRole("link", exact)).count()) > 0) found.push(name);
        }
        return found;
      };
      // A busy machine draws the last answer after the network has gone quiet.
      await expect.poll(shown, { message: path }).toEqual(names.filter((name) => (may as readonly string[]).includes(name)));
      if ((await main.getByRole("note").count()) > 0) noted.push(path);
      expect([path, await violationsOf(page), await main.getByRole("alert").count()]).toEqual([path, [], 0]);
    }
    expect(noted).toEqual(Object.keys(buttons).filter((path) => (notes as readonly string[]).includes(path)));
    await page.goto(`${gateway.url}/console/playground`);
    await page.getByRole("textbox", { name: "Message" }).fill("Hello");
    await page.waitForLoadState("networkidle");
    await expect
      .poll(() => page.getByRole("button", { name: "Send" }).isDisabled())
      .toBe(!(may as readonly string[]).includes("Create key"));
    const dialogs = { "/keys?create=1": "Create key", "/credit?add=1": "Add credit", "/members?invite=1": "Invite" };
    for (const [path, name] of Object.entries(dialogs)) {
      await page.goto(`${gateway.url}/console${path}`);
      if ((may as readonly string[]).includes(name)) await page.getByRole("dialog", { name }).waitFor();
      else await page.getByRole("note").waitFor();
      // A dialog may open before the role is known, and closes then.
      await expect.poll(() => page.getByRole("dialog").count(), { message: path }).toBe((may as readonly string[]).includes(name) ? 1 : 0);
    }
    await page.goto(`${gateway.url}/console/credit`);
    await page.waitForLoadState("networkidle");
    await keepScreen(page, `${role}-credit`);
    expect([refused, faults]).toEqual([[], []]);
    await close();
  });
});
