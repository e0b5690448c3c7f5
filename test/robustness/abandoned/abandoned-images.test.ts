// Images that are waited for, left at every point: no host makes one that nobody is charged for, and nobody is charged for one that no host was
// asked for (docs/behaviour/billing.md#ends).
import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { makeImage } from "../../../src/simulator/made/image.ts";
import { chatWorld, provider } from "../../operations/chat/chat-gateway.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { highTiers } from "../../support/tiers.ts";

const price = 0.04;
const image = (id: string, route: object, more: object = {}) => ({
  ...{ id, type: "image", input_modalities: ["text", "image"], pricing: { mode: "per-image", usd_per_image: price } },
  ...{ routes: [route], ...more },
});
const world = chatWorld(
  [
    image("m/north", { provider: "north", model: "image-large+sim-slow-80ms" }, { supports_variations: true }),
    image("m/queue", { provider: "queue", model: "ember/flash-image+sim-slow-20ms+sim-queue-1" }),
  ],
  {
    providers: [provider("north"), provider("queue", { protocol: "fal", base_url: "simulator:/fal" })],
    tiers: highTiers({ image_concurrent: 100, image_queue_depth_cap: 100 }),
  },
  { jobs: { lookMs: { first: 10, last: 30 }, deadlineMs: { image: 20_000, video: 20_000 } } },
);

interface Form {
  path: string;
  type: string;
  body: Buffer;
}

async function form(path: string, fields: Record<string, string>, withImage = true): Promise<Form> {
  const parts = new FormData();
  for (const [name, value] of Object.entries(fields)) parts.append(name, value);
  if (withImage) parts.append("image", new Blob([new Uint8Array(makeImage("png", 256, 256, "harbour").bytes)]), "a.png");
  const written = new Response(parts);
  return { path, type: written.headers.get("content-type")!, body: Buffer.from(await written.arrayBuffer()) };
}

const generation = (model: string): Form => ({
  path: "generations",
  type: "application/json",
  body: Buffer.from(JSON.stringify({ model, prompt: "A boat in the harbour" })),
});
const forms: Record<string, Form> = {
  "a generation at once": generation("m/north"),
  "a generation of a queue": generation("m/queue"),
  "an edit": await form("edits", { model: "m/north", prompt: "A starry night" }),
  "an edit of a queue": await form("edits", { model: "m/queue", prompt: "A starry night" }),
  "a variation": await form("variations", { model: "m/north" }),
};

/** `sends`: the part of the body that goes out, in so many pieces; then it waits and goes. */
interface Way {
  sends: number;
  pieces?: number;
  leavesAfterMs?: number;
  /** Goes with the first byte of the answer, or after it reads nothing of it for a while. */
  leavesWithAnswer?: boolean;
  reset?: boolean;
}
const ways: Way[] = [
  { sends: 0.5, leavesAfterMs: 30 },
  { sends: 0.99, leavesAfterMs: 30, reset: true },
  { sends: 0.7, pieces: 7, leavesAfterMs: 0 },
  { sends: 1, leavesAfterMs: 0 },
  { sends: 1, leavesAfterMs: 0, reset: true },
  { sends: 1, leavesAfterMs: 10 },
  { sends: 1, leavesAfterMs: 40, reset: true },
  { sends: 1, leavesAfterMs: 90 },
  { sends: 1, pieces: 9, leavesAfterMs: 60 },
  { sends: 1, leavesWithAnswer: true },
  { sends: 1, leavesWithAnswer: true, reset: true, pieces: 3 },
];

async function askAndLeave({ key }: TestAccount, { path, type, body }: Form, way: Way): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": type, "content-length": body.length, prefer: "wait" };
  const call = request(`${world.gateway.url}/v1/images/${path}`, { method: "POST", agent: false, headers });
  const closed = new Promise<void>((resolve) => call.once("close", resolve));
  const go = () => {
    if (way.reset) call.socket?.resetAndDestroy();
    call.destroy();
  };
  call.on("error", () => undefined);
  call.once("response", (reply) => reply.on("error", () => undefined).once("data", go));
  const sent = body.subarray(0, Math.floor(body.length * way.sends));
  const step = Math.ceil(sent.length / (way.pieces ?? 1));
  for (let at = 0; at < sent.length; at += step) {
    call.write(sent.subarray(at, at + step));
    if (way.pieces !== undefined) await pause(3);
  }
  if (way.sends === 1) call.end();
  if (way.leavesAfterMs !== undefined) setTimeout(go, way.leavesAfterMs);
  await closed;
}

/** What a host was asked to make, and took on. */
const made = () =>
  world.gateway.simulator
    .calls()
    .filter(({ method, path, status }) => method === "POST" && /\/images\/|^\/fal\/ember/.test(path) && status !== null && status < 300)
    .length;

test.each(Object.entries(forms))("%s: each that a host was asked for is charged, once, however its caller leaves", async (_name, asked) => {
  const accounts = await Promise.all(ways.map(() => world.account()));
  const before = made();
  await Promise.all(ways.map((way, at) => askAndLeave(accounts[at]!, asked, way)));
  await expect.poll(() => world.gateway.audit()).toMatchObject({ holds_open: 0, reservations_open: 0, mismatches: [] });
  const spent = await Promise.all(accounts.map(async (account) => (await world.gateway.balance(account)).spent));
  const charged = spent.filter((usd) => usd > 0);
  expect(new Set(charged)).toEqual(new Set([price]));
  expect(charged.length).toBe(made() - before);
  // Who left in the middle of the upload asked for nothing.
  expect(spent.slice(0, 3)).toEqual([0, 0, 0]);
  expect(spent.slice(-2)).toEqual([price, price]);
});
