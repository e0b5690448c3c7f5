// What an answer that streams keeps of its request: its texts once, to count them where the upstream never says; neither its bytes nor its JSON.
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openSoakWorld, type SoakWorld } from "../bench/soak-world.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { drawn } from "../support/size.ts";

/** Read here and now, or in a thread of its own (src/server/big-json.ts). */
const [small, big] = [200_000, 600_000];
/** Of all prompts together. */
const heldBytes = 6_400_000;
/** What a stream needs beside its prompt, and what is compiled meanwhile; two copies would be above it. */
const keptMax = 1.5 * heldBytes;

let database: TestDatabase;
let world: SoakWorld;
let key: string;
beforeAll(async () => {
  database = await freshDatabase();
  world = await openSoakWorld({ databaseUrl: database.url, folder: mkdtempSync(join(inject("runFolder"), "prompt-")) });
  key = await world.createCaller(true);
});
afterAll(async () => {
  await world?.stop();
  await database?.drop();
});

const model = "soak/long";
const chat = (content: string) => ({ messages: [{ role: "user", content }], max_tokens: 2_000 });

test.each(
  drawn(
    [
      ["chat/completions", small, chat],
      ["chat/completions", big, chat],
      ["completions", small, (prompt: string) => ({ prompt, max_tokens: 2_000 })],
      ["messages", small, chat],
      ["responses", small, (input: string) => ({ input, max_output_tokens: 2_000 })],
    ],
    2,
  ),
)("POST /v1/%s, %i bytes: a stream holds the text of its prompt once", async (path, bytes, make) => {
  const body = make("word ".repeat(bytes / 5));
  await open(path, body, 4); // code and connections
  const before = await world.inspector.memory();
  const leave = await open(path, body, Math.round(heldBytes / bytes));
  const held = await world.inspector.memory();
  leave();
  expect(held.heap + held.external - before.heap - before.external).toBeLessThan(keptMax);
});

/**
 * Resolves once each has said something; returns how to leave them. The gateway hears of it when their sockets close. A busy machine may refuse
 * some at first.
 */
async function open(path: string, body: object, count: number): Promise<() => void> {
  const controller = new AbortController();
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const request = { method: "POST", headers, body: JSON.stringify({ model, stream: true, ...body }), signal: controller.signal };
  const one = async () => {
    let reply: Response;
    while ((reply = await fetch(`${world.url}/v1/${path}`, request)).status === 503) await sleep(200);
    expect(reply.status).toBe(200);
    await reply.body!.getReader().read();
  };
  await Promise.all(Array.from({ length: count }, one));
  return () => controller.abort();
}
