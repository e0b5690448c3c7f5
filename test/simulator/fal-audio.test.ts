// Songs of the queue: an address, and a real MP3 behind it.
import { describe, expect, test } from "vitest";
import { decodeMp3 } from "./audio-check.ts";
import { load, run } from "./fal-fixture.ts";
import { useSimulator } from "./simulator-fixture.ts";

const simulator = useSimulator();
const sing = async (input: object, directives = "") => (await run(simulator.current, `verse/song+sim-slow-0ms${directives}`, input)).json;

describe("songs", () => {
  test("one MP3, as long as its words need, told by its address", async () => {
    const { audio } = await sing({ prompt: "A slow waltz", lyrics: "la ".repeat(100) });
    const file = await load(audio.url);
    expect(audio).toEqual({ url: expect.any(String), content_type: "audio/mpeg", file_name: "0.mp3", file_size: file.bytes.length });
    const heard = await decodeMp3(file.bytes);
    expect(heard).toMatchObject({ sampleRate: 44_100 });
    expect(heard.seconds).toBeCloseTo(20 + Math.floor(312 / 15), 1);
    expect(heard.loudest).toBeGreaterThan(0.2);
    expect((await load((await sing({ prompt: "A slow waltz", lyrics: "la ".repeat(100) })).audio.url)).bytes).toEqual(file.bytes);
  });

  test("twenty to ninety seconds, or what is asked for", async () => {
    const seconds = async (input: object, directives = "") =>
      (await decodeMp3((await load((await sing(input, directives)).audio.url)).bytes)).seconds;
    expect(await seconds({ prompt: "A waltz" })).toBeCloseTo(20, 1);
    expect(await seconds({ lyrics: "la ".repeat(2000) })).toBeCloseTo(90, 1);
    expect(await seconds({ prompt: "A waltz", duration: 33 })).toBeCloseTo(33, 1);
    expect(await seconds({ prompt: "A waltz" }, "+sim-seconds-7")).toBeCloseTo(7, 1);
  });

  test("directives: no audio, no type, failures, and files that are spoilt", async () => {
    expect(await sing({ prompt: "x" }, "+sim-no-audio")).not.toHaveProperty("audio");
    expect((await sing({ prompt: "x" }, "+sim-no-type")).audio).not.toHaveProperty("content_type");
    expect((await sing({ prompt: "x" }, "+sim-job-content_policy_violation")).detail[0].type).toBe("content_policy_violation");
    expect((await sing({})).detail[0]).toMatchObject({ type: "missing", loc: ["body", "prompt"] });
    expect((await load((await sing({ prompt: "x" }, "+sim-file-fail-404")).audio.url)).status).toBe(404);
    expect(await load((await sing({ prompt: "x" }, "+sim-file-html+sim-file-as-mp3")).audio.url)).toMatchObject({
      type: "audio/mpeg",
      status: 200,
    });
  });
});
