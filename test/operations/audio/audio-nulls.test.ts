// Audio requests with null in optional fields are answered as if the fields were absent.
import { describe, expect, test } from "vitest";
import { familyA, familyB, perSecond, perSong, sentence, soundModel, speechWorld } from "../speech/speech-gateway.ts";

const world = speechWorld(
  [familyA("demo/quality"), familyB("demo/hd"), perSecond("demo/score"), perSong("demo/song"), soundModel("demo/sounds")],
  {
    defaults: { speech: "demo/quality", music: "demo/score", sfx: "demo/sounds" },
  },
);
const orders = () =>
  world.gateway.simulator
    .calls()
    .filter(({ method }) => method === "POST")
    .map(({ path, json }) => ({ path, json }));
const nulls = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, null]));

/** Both are sent; their upstream requests and their answers are the same. */
async function expectSame(path: string, given: object, withNulls: object) {
  const account = await world.account();
  const replies = [await world.ask(account, given, path), await world.ask(account, withNulls, path)];
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  const [first, second] = replies.map(({ headers }) => [headers["content-type"], headers["x-svc-model"], headers["x-svc-cost-usd"]]);
  expect(second).toEqual(first);
  expect(replies[1]!.bytes.equals(replies[0]!.bytes)).toBe(true);
  const asked = orders();
  expect(asked).toHaveLength(2);
  expect(asked[1]).toEqual(asked[0]);
}

describe("null means not given", () => {
  const settings = "stability similarity_boost style use_speaker_boost";
  test.each([
    ["speech, every field", { input: sentence }, nulls("model text voice_id voice response_format voice_settings stream")],
    ["speech, each setting of the voice", { input: sentence }, { voice_settings: nulls(settings) }],
    ["speech, beside a setting", { input: sentence, voice_settings: { style: 0 } }, { voice_settings: { ...nulls(settings), style: 0 } }],
    ["speech, the text under its other name", { text: sentence }, nulls("input")],
    ["speech, the voice under its other name", { input: sentence, voice: "lyra-narrator" }, nulls("voice_id")],
    ["speech of family B", { model: "demo/hd", input: sentence }, nulls("voice_id response_format voice_settings stream")],
  ])("%s", (_, given, more) => expectSame("speech", given, { ...given, ...more }));

  test.each([
    ["music, every field", {}, nulls("model lyrics music_length_ms duration_ms response_format")],
    ["music, the length under its other name", { duration_ms: 2000 }, nulls("music_length_ms")],
    ["a song", { model: "demo/song" }, nulls("lyrics music_length_ms duration_ms response_format")],
  ])("%s", (_, given, more) => expectSame("music", { prompt: "Calm piano", ...given }, { prompt: "Calm piano", ...given, ...more }));

  test.each([
    ["sounds, every field", { prompt: "Gulls" }, nulls("model text duration_seconds prompt_influence response_format")],
    ["sounds, the prompt under its other name", { text: "Gulls" }, nulls("prompt")],
  ])("%s", (_, given, more) => expectSame("sfx", given, { ...given, ...more }));
});

describe("nothing to make where all that says it is null", () => {
  test.each([
    ["speech", { input: null, text: null }, "input"],
    ["speech", { input: null, text: " " }, "text"],
    ["sfx", { prompt: null, text: null }, "prompt"],
    ["music", { prompt: null }, "prompt"],
  ])("400 invalid_request: %s, %j", async (path, body, param) => {
    const account = await world.account();
    const { status, json } = await world.ask(account, body, path);
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_request", param]);
    await world.expectUntouched(account);
  });
});
