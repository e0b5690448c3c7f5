// What the metrics show an operator of upstreams that fail while other routes serve the callers. Names stay inside.
import { expect, test } from "vitest";
import { chatWorld, language } from "./chat-gateway.ts";

const world = chatWorld([language("demo/chat", ["chat+sim-401", "chat+sim-fail-503", "chat"])]);

test("each attempt is counted by route and outcome, our own key's fault too", async () => {
  const account = await world.account();
  expect((await world.chat(account, { model: "demo/chat" })).status).toBe(200);
  const { text } = await world.gateway.request("GET", "/metrics", { unchecked: true });
  const counted = text.split("\n").filter((line) => line.startsWith("svc_upstream_attempts_total"));
  expect(counted.sort()).toEqual([
    'svc_upstream_attempts_total{route="north/chat+sim-401",outcome="our_fault"} 1',
    'svc_upstream_attempts_total{route="south/chat+sim-fail-503",outcome="unavailable"} 1',
    'svc_upstream_attempts_total{route="west/chat",outcome="ok"} 1',
  ]);
});
