// Long polls in numbers: a thousand of one account cost next to nothing, leave nothing behind when their clients go, and never hold up a stop.
import { Agent, request } from "node:http";
import { expect, test, vi } from "vitest";
import { countWaiters } from "../support/count-waiters.ts";
import { eventually } from "../support/eventually.ts";
import { startGateway } from "../support/gateway.ts";
import { newJob } from "../support/media-jobs.ts";
import { sized } from "../support/size.ts";
import { highTiers } from "../support/tiers.ts";

const pollers = sized(1_000, 300);

test(`${pollers} long polls: half of the clients disconnect, a stop answers the rest at once with the job as it stands`, async () => {
  const model = { id: "demo/image", type: "image", pricing: { mode: "per-image", usd_per_image: 0.04 } };
  const catalog = JSON.stringify({
    providers: [{ id: "east", protocol: "fal", base_url: "http://127.0.0.1:9" }],
    models: [{ ...model, routes: [{ provider: "east", model: "owner/app" }] }],
    tiers: highTiers(),
  });
  const gateway = await startGateway({ catalog });
  const account = await gateway.createAccount({ deposit: "20" });
  const job = await newJob(gateway, account);
  const waiters = countWaiters(gateway, { times: 20 });
  const asked = vi.spyOn(gateway.context.db.pool, "query");
  const reads = () => asked.mock.calls.filter(([text]) => String(text).includes("from media_job j")).length;
  const agent = new Agent({ maxSockets: Infinity });
  const polls: ReturnType<typeof poll>[] = [];
  // In hundreds: all at once, the last would wait for a connection to the database longer than a read may on a busy machine.
  while (polls.length < pollers) {
    for (let sent = 0; sent < 100; sent++) polls.push(poll(`${gateway.url}/v1/jobs/${job.shownId}?wait=25`, account.key, agent));
    await eventually(() => expect(waiters.now).toBe(polls.length));
  }

  for (const { leave } of polls.slice(0, pollers / 2)) leave();
  await eventually(() => expect(waiters.now).toBe(pollers / 2));

  // Reads that began before the stop come to their end; those that wait ask the database nothing more.
  const before = reads();
  expect(before).toBeGreaterThanOrEqual(pollers);
  const stopped = gateway.stop();
  for (const { answer } of polls.slice(pollers / 2)) expect(await answer).toEqual([200, "pending"]);
  expect(reads()).toBe(before);
  await stopped;
  expect(waiters.now).toBe(0);
  agent.destroy();
});

function poll(url: string, key: string, agent: Agent) {
  const sent = request(url, { agent, headers: { authorization: `Bearer ${key}` } });
  const answer = new Promise((resolve) => {
    sent.on("response", (response) => {
      let text = "";
      response.on("data", (piece: Buffer) => (text += piece.toString()));
      response.on("end", () => resolve([response.statusCode, (JSON.parse(text) as { status: string }).status]));
    });
    sent.on("error", () => resolve("left")).end();
  });
  return { answer, leave: () => void sent.destroy() };
}
