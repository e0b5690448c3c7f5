// ElevenLabs voices: pages, which voices are left out, and what is read of one.
import { expect, test } from "vitest";
import { elevenlabsVoices } from "../../../src/providers/elevenlabs/voices.ts";
import { until } from "../../support/eventually.ts";
import { callTo } from "../audio-fixture.ts";
import { expectFault, json } from "../openai/chat-fixture.ts";
import { type Answer, startHost, useUpstream } from "../upstream-fixture.ts";

const voice = (id: string, more: object = {}) => ({ voice_id: id, name: id.toUpperCase(), category: "premade", labels: {}, ...more });
const bare = (id: string) => ({ voiceId: id, name: id.toUpperCase(), labels: {}, previewUrl: null, description: null, tags: [] });
const list = async (answer: Answer) => elevenlabsVoices(useUpstream())(callTo(await startHost(answer), { protocol: "elevenlabs" }));
const page = (voices: unknown[], next: string | null = null) => JSON.stringify({ voices, has_more: next !== null, next_page_token: next });

test("page after page by its token, each voice once", async () => {
  const host = await startHost((request, response) => {
    const token = new URL(request.url!, "http://x").searchParams.get("next_page_token");
    const pages: Record<string, string> = {
      "": page([voice("a"), voice("b")], "t&2"),
      "t&2": page([voice("b"), voice("c")], "t3"),
      t3: page([]),
    };
    response.end(pages[token ?? ""]);
  });
  expect(await elevenlabsVoices(useUpstream())(callTo(host, { protocol: "elevenlabs" }))).toEqual(["a", "b", "c"].map(bare));
  expect(host.requests.map(({ url }) => url)).toEqual([
    "/v2/voices?page_size=100",
    "/v2/voices?page_size=100&next_page_token=t%262",
    "/v2/voices?page_size=100&next_page_token=t3",
  ]);
});

test("every field of a voice; invalid ones are left out", async () => {
  const labels = { gender: "female", accent: "", age: 7 };
  const full = voice("a", { labels, description: "Calm.", preview_url: "https://cdn.example.com/a.mp3", tags: ["warm", 7] });
  const odd = { voice_id: "b", labels: null, preview_url: "http://plain.example.com/b.mp3" };
  expect(await list(json(200, page([full, odd, {}, null, { voice_id: "x".repeat(300) }])))).toEqual([
    { ...bare("a"), labels: { gender: "female" }, description: "Calm.", previewUrl: "https://cdn.example.com/a.mp3", tags: ["warm"] },
    { ...bare("b"), name: "b" },
  ]);
});

test("voices of the operator's own account are left out", async () => {
  const kept = ["premade", "professional", "high_quality", "famous"].map((category) => voice(category, { category }));
  const own = [
    voice("1", { category: "cloned" }),
    voice("2", { category: "generated" }),
    voice("3", { category: "professional", is_owner: true }),
  ];
  expect((await list(json(200, page([...own, ...kept])))).map(({ voiceId }) => voiceId)).toEqual(kept.map(({ voice_id }) => voice_id));
});

test("a host that repeats its token, or never ends, is asked so often and no more", async () => {
  const same = await startHost(json(200, page([voice("a")], "again")));
  expect(await elevenlabsVoices(useUpstream())(callTo(same))).toHaveLength(1);
  expect(same.requests).toHaveLength(2);
  let count = 0;
  const endless = await startHost((_request, response) => void response.end(page([voice(`v${count}`)], `t${(count += 1)}`)));
  expect(await elevenlabsVoices(useUpstream())(callTo(endless))).toHaveLength(100);
});

test("a token that is no token ends the list; pages of more than 64 MB together are no list", async () => {
  expect(await list(json(200, page([voice("a")], "t".repeat(100_000))))).toHaveLength(1);
  let count = 0;
  const giant = page([voice("a", { filler: "x".repeat(15_000_000) })], "next");
  const host = await startHost((_request, response) => void response.end(giant.replace('"next"', `"t${(count += 1)}"`)));
  await expectFault(elevenlabsVoices(useUpstream())(callTo(host)), "unreadable");
  expect(host.requests).toHaveLength(5);
});

test("a page that fails fails the list", async () => {
  await expectFault(list(json(401, '{"detail":{"status":"quota_exceeded"}}')), "our_fault");
  await expectFault(list(json(200, '{"voices":null}')), "unreadable");
  await expectFault(list(json(200, "<html>")), "unreadable");
});

test("an abort reaches the host's socket", async () => {
  const host = await startHost(() => undefined);
  const abort = new AbortController();
  const listing = elevenlabsVoices(useUpstream())(callTo(host, {}, abort.signal));
  await until(() => host.requests.length === 1);
  abort.abort(new Error("the caller disconnected"));
  await expect(listing).rejects.toThrow("the caller disconnected");
  await until(() => host.sockets.size === 0);
});
