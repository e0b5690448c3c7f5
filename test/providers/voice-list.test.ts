// Lists of voices stay within bounds and say nothing of the operator's, whatever a provider sends.
import { expect, test } from "vitest";
import type { ProviderVoice } from "../../src/providers/verbs/audio.ts";
import { openVoiceList } from "../../src/providers/voice-list.ts";
import { providerAt } from "./upstream-fixture.ts";

const provider = providerAt("https://tts.voices.example/v1");

const voice = (voiceId: string, more: Partial<ProviderVoice> = {}): ProviderVoice => ({
  ...{ voiceId, name: "Voice", labels: {}, previewUrl: null, description: null, tags: [] },
  ...more,
});

test("ten thousand voices, and no more", () => {
  const list = openVoiceList(provider);
  for (let at = 0; at < 1_000_000; at += 1) list.add(voice(`v${at}`));
  expect(list.isFull()).toBe(true);
  expect(list.all()).toHaveLength(10_000);
});

test("voices with an unusable id are left out; the first of an id counts", () => {
  const list = openVoiceList(provider);
  const odd = ["", ".", "..", "a/b", "a\nb", "a\0b", "\ud800", "\u202ea", "x".repeat(10_000), "a?b", "a#b", "a%2fb", "a\\b"];
  for (const id of [...odd, "constructor", "__proto__", "Stimme für alle (v2)"]) list.add(voice(id));
  list.add(voice("constructor", { name: "again" }));
  expect(list.all()).toEqual(["constructor", "__proto__", "Stimme für alle (v2)"].map((id) => voice(id)));
});

test("megabytes about one voice are cut, in no half character", () => {
  const long = `${"x".repeat(98)}\u{1f600}${"y".repeat(5_000_000)}`;
  const labels = Object.fromEntries([["__proto__", "a"], [long, long], ...Array.from({ length: 1_000 }, (_, at) => [`l${at}`, "b"])]);
  const list = openVoiceList(provider);
  list.add(voice("a", { name: long, description: long, tags: Array<string>(1_000).fill(long), labels, previewUrl: `https://a/${long}` }));
  const [read] = list.all();
  expect([read!.name.length, read!.description!.length, read!.tags.length, read!.previewUrl]).toEqual([200, 1_000, 20, null]);
  expect(Object.entries(read!.labels).slice(0, 2)).toEqual([
    ["__proto__", "a"],
    [`${"x".repeat(98)}\ufffd…`, `${"x".repeat(98)}\ufffd…`],
  ]);
  expect(JSON.stringify(read).length).toBeLessThan(30_000);
  expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
});

test("a sample is one that any client may load, and that shows nothing of the provider's own; others are left out", () => {
  const open = ["https://cdn.example.com/a/1.mp3?x=2", "HTTPS://cdn.example.com/b.mp3"];
  const own = [
    ...["http://cdn.example.com/a.mp3", "cdn.example.com/a.mp3", "data:audio/mpeg;base64,AAAA", "https://"],
    ...[
      "https://tts.internal:8443/p.mp3",
      "https://tts/p.mp3",
      "https://10.2.3.4/p.mp3",
      "https://[fd00::7]/p.mp3",
      "https://localhost/p.mp3",
    ],
    ...["https://10.2.3.4.nip.io/p.mp3", "https://me:secret@cdn.example.com/a.mp3", `https://cdn.example.com/a.mp3?key=${provider.apiKey}`],
    ...["https://tts.voices.example/p.mp3", "https://cdn.voices.example:8443/p.mp3", "https://tts.\ninternal/p.mp3"],
  ];
  const list = openVoiceList(provider);
  for (const [at, previewUrl] of [...open, ...own].entries()) list.add(voice(`v${at}`, { previewUrl }));
  expect(list.all().map(({ previewUrl }) => previewUrl)).toEqual([...open, ...own.map(() => null)]);
});
