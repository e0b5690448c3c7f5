// One key of a workspace, changed by a hundred of its members at once.
import { afterAll, beforeAll, expect, test } from "vitest";
import { highTiers } from "../../support/tiers.ts";
import { language, provider } from "../chat/chat-gateway.ts";
import { untilTaken } from "../credits/topup-gateway.ts";
import { codeOf, startTeamGateway, type TeamGateway } from "./team-gateway.ts";

let gateway: TeamGateway;
beforeAll(async () => {
  const catalog = { providers: [provider("north")], models: [language("demo/chat", ["chat"])], tiers: highTiers() };
  gateway = await startTeamGateway({ catalog: JSON.stringify(catalog) });
});
afterAll(() => gateway.stop());

test("a hundred changes of one key by a hundred members end in one state that all see", async () => {
  const { workspace, accountId, developer } = await gateway.team();
  const key = (await gateway.ask(developer, "POST", "/v1/auth/keys", { in: workspace, body: { name: "shared" } })).json;
  const others = Array.from({ length: 99 }, async (_, n) => {
    const person = await gateway.person();
    await gateway.join(accountId, person, n % 2 === 0 ? "owner" : "admin");
    return person;
  });
  const by = [developer, ...(await Promise.all(others))];
  const replies = await Promise.all(
    by.map((who, n) =>
      untilTaken(() =>
        gateway.ask(who, "PATCH", `/v1/auth/keys/${key.id}`, {
          in: workspace,
          body: { name: `name ${n}`, enabled: n % 2 === 0, limit_usd: n },
        }),
      ),
    ),
  );
  expect(replies.map(({ status }) => status)).toEqual(by.map(() => 200));
  const shown = await Promise.all(by.map((who) => untilTaken(() => gateway.ask(who, "GET", "/v1/auth/keys", { in: workspace }))));
  expect(shown.map(codeOf)).toEqual(by.map(() => [200, undefined]));
  const seen = shown.map(({ json }) => json.data);
  expect(seen).toEqual(by.map(() => seen[0]));
  const { name, enabled, limit_usd } = seen[0][0];
  expect([name, enabled]).toEqual([`name ${limit_usd}`, limit_usd % 2 === 0]);
});
