// Which members of `extra` reach the provider of an image or a video (docs/behaviour/media-jobs.md#extra).
import { describe, expect, test } from "vitest";
import { readExtra, readNamedExtra } from "../../src/jobs/extra-fields.ts";

const refusal = (code: string, param: string) => expect.objectContaining({ code, details: expect.objectContaining({ param }) });

describe("extra", () => {
  /** For a model with these routes and rules. */
  const readAs = (extra: Record<string, unknown> | null, media: object = {}, upstream = "vendor/image") =>
    readExtra(extra, { routes: [{ model: upstream }], media: { extraKeys: null, withheld: [], ...media } } as unknown as Parameters<
      typeof readExtra
    >[1]);
  test("passes on, except what affects the price, moderation or transport, in every spelling", () => {
    const kept = {
      ...{ seed: 7, guidance_scale: 3.5, negative_prompt: "rain", style: "flat", output_format: "png" },
      ...{
        background: "transparent",
        colors: [{ r: 1 }],
        image_strength: 0.5,
        enhance_prompt: true,
        loras: [{ path: "https://a.example/l" }],
      },
    };
    const withheld = [
      [
        "prompt",
        "Prompt",
        "prompt_2",
        "image_prompt",
        "n",
        "num_images",
        "numImages",
        "image_size",
        "size",
        "aspect_ratio",
        "aspectRatio",
        "width",
        "height",
        "resolution",
      ],
      [
        "duration",
        "quality",
        "image_url",
        "image_urls",
        "image",
        "images",
        "imageUrl",
        "mask",
        "mask_url",
        "mask_image_url",
        "reference_image_urls",
      ],
      [
        "input_image",
        "input_images",
        "model",
        "webhook_url",
        "fal_webhook",
        "sync_mode",
        "stream",
        "enable_safety_checker",
        "safety_tolerance",
      ],
      [
        "moderation",
        "disable_safety_checker",
        "video_url",
        "audio_url",
        "num_frames",
        "response_format",
        "rendering_speed",
        "end_image_url",
      ],
    ].flat();
    expect(readAs({ ...kept, ...Object.fromEntries(withheld.map((key) => [key, "x"])) })).toEqual(kept);
  });
  test.each([
    "sample_count numberResults num_samples number_of_images n_images max_images outputs num_variations batch_count quantity n[]",
    "output_resolution target_width custom_height image_width output_megapixels size_preset enable_upscale hires_fix hd service_tier",
    "input inputs parameters instances payload messages contents textPrompts promptText positive_prompt text_prompt",
    "img url urls source file_url input_urls init_image image_prompt_url photo_url start_image_base64 disable_checker uncensored",
  ])("withholds other hosts' names for the same: %s", (names) => {
    expect(readAs(Object.fromEntries(names.split(" ").map((key) => [key, 9])))).toEqual({});
  });
  test("R7: withholds tiers, steps, engines, versions, fidelity, web search and thinking, unless the operator lists them", () => {
    const dear = {
      ...{ input_fidelity: "high", enable_web_search: true, googleSearch: true, thinking_level: "high", num_inference_steps: 50 },
      ...{ steps: 50, variant: "pro", version: "3", engine: "ultra", quality: "hd", resolution: "4K", upscale: 2, rendering_speed: "slow" },
    };
    expect(readAs({ ...dear, seed: 7 })).toEqual({ seed: 7 });
    expect(readAs({ ...dear, seed: 7 }, { extraKeys: Object.keys(dear) })).toEqual(dear);
  });
  test("R7: withholds what makes several images of one, upsampling and a provider's own tools, unless the operator lists them", () => {
    const dear = {
      ...{ sequential_image_generation: "auto", sequential_image_generation_options: { max_images: 15 }, num_layers: 8 },
      ...{ upsample: 4, tools: [{ type: "web_search" }] },
    };
    expect(readAs({ ...dear, seed: 7, player: "x" })).toEqual({ seed: 7, player: "x" });
    expect(readAs({ ...dear, seed: 7 }, { extraKeys: Object.keys(dear) })).toEqual(dear);
  });
  test("R7: withholds a style where the model's family charges more for some", () => {
    expect(readAs({ style: "vector_illustration", seed: 7 }, {}, "fal-ai/recraft/v3")).toEqual({ seed: 7 });
  });
  test("withholds what the operator withholds, in every spelling", () => {
    expect(
      readAs({ loras: [], Guidance_Scale: 9, enhancePrompt: true, seed: 7 }, { withheld: ["loras", "guidance-scale", "enhance_prompt"] }),
    ).toEqual({
      seed: 7,
    });
  });
  test("of the keys that the operator lists, those that the request's own fields decide or that are moderated never pass", () => {
    const owned = ["prompt", "n", "image_size", "width", "image_url", "enable_safety_checker", "webhook_url"];
    expect(readAs(Object.fromEntries([...owned, "seed", "other"].map((key) => [key, 9])), { extraKeys: [...owned, "seed"] })).toEqual({
      seed: 9,
    });
    expect(readAs({ seed: 7 }, { extraKeys: [] })).toEqual({});
  });

  test("a key of every object is a key like others", () => {
    const extra = JSON.parse('{"__proto__":{"num_images":9},"constructor":{"n":9}}') as Record<string, unknown>;
    const read = readAs(extra);
    expect([JSON.stringify(read), read["num_images"], Object.getPrototypeOf(read)]).toEqual([
      JSON.stringify(extra),
      undefined,
      Object.prototype,
    ]);
  });

  test("for videos, only the keys that the model lists", () => {
    expect(readNamedExtra({ cfg_scale: 0.5, seed: 1 }, ["cfg_scale"])).toEqual({ cfg_scale: 0.5 });
    expect(readNamedExtra(null, ["cfg_scale"])).toEqual({});
  });
  test("more than 64 KB is refused; what is not read is not counted", () => {
    expect(() => readAs({ style: "x".repeat(65_536) })).toThrow(refusal("invalid_parameter", "extra"));
    expect(readAs({ prompt: "x".repeat(65_536) })).toEqual({});
  });
  test("half a surrogate pair becomes the replacement character, in keys as well", () => {
    expect(readAs({ "a\ud800": [{ b: "\udc00" }] })).toEqual({ "a\ufffd": [{ b: "\ufffd" }] });
  });
  test("a key called __proto__ stays a key", () => {
    const read = readAs(JSON.parse('{"__proto__":{"seed":1}}') as Record<string, unknown>);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(JSON.stringify(read)).toBe('{"__proto__":{"seed":1}}');
  });
});
