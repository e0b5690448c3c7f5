// Images of the OpenAI protocol, by the official SDK: real files, usage, quality and size, edits, and what the real API refuses.
import { imageSize } from "image-size";
import OpenAI, { toFile } from "openai";
import { describe, expect, test } from "vitest";
import { makePng } from "../../src/simulator/made/image.ts";
import { load } from "./fal-fixture.ts";
import { readPng } from "./image-check.ts";
import { post, useSimulator } from "./simulator-fixture.ts";

const simulator = useSimulator();
const client = () => new OpenAI({ apiKey: "any", baseURL: `${simulator.current.url}/openai/v1`, maxRetries: 0 });
const prompt = "A cat in a boat";
const decode = ({ b64_json }: { b64_json?: string | undefined }) => Buffer.from(b64_json!, "base64");
const imageFile = (name = "a.png", type = "image/png", bytes = makePng(64, 48, name)) => toFile(bytes, name, { type });

describe("generations", () => {
  for (const size of ["1024x1024", "1024x1536", "1536x1024"] as const) {
    test(`${size}: base64 of PNGs of that size, each another`, async () => {
      const { data } = await client().images.generate({ model: "image-large", prompt, size, n: 2 });
      for (const image of data!) {
        const { width, height } = readPng(decode(image));
        expect(`${width}x${height}`).toBe(size);
        expect(imageSize(decode(image))).toMatchObject({ width, height, type: "png" });
      }
      expect(data![0]!.b64_json).not.toBe(data![1]!.b64_json);
    });
  }

  test("the same request again gives the same bytes", async () => {
    const [first, again] = [await generate({}), await generate({})];
    expect(first).toEqual(again);
    expect(await generate({ prompt: "A dog" })).not.toEqual(first);
  });

  test("usage by prompt, quality, size and number", async () => {
    expect(await generate({ quality: "low" })).toMatchObject({ quality: "low", size: "1024x1024", output_format: "png" });
    const usage = async (more: object) => ((await generate(more)) as { usage: unknown }).usage;
    const input = { input_tokens: 4, input_tokens_details: { text_tokens: 4, image_tokens: 0 } };
    expect(await usage({ quality: "low" })).toEqual({ ...input, output_tokens: 272, total_tokens: 276 });
    expect(await usage({ quality: "high", n: 2 })).toEqual({ ...input, output_tokens: 8320, total_tokens: 8324 });
    expect(await usage({ size: "1536x1024" })).toEqual({ ...input, output_tokens: 1584, total_tokens: 1588 });
    expect(await generate({ model: "image-large+sim-no-usage" })).not.toHaveProperty("usage");
  });

  for (const model of ["dall-e-3", "image-large+sim-urls"]) {
    test(`${model}: addresses of files, for GET and HEAD`, async () => {
      const { data } = await client().images.generate({ model, prompt, size: "1024x1024" });
      expect(data![0]).toEqual({ url: expect.stringContaining(`${simulator.current.url}/openai/v1/images/files/`) });
      const file = await load(data![0]!.url!);
      expect([file.status, file.type, file.length]).toEqual([200, "image/png", String(file.bytes.length)]);
      expect(readPng(file.bytes)).toMatchObject({ width: 1024, height: 1024 });
      expect(await load(data![0]!.url!, "HEAD")).toEqual({ ...file, bytes: Buffer.alloc(0) });
    });
  }

  test("output_format jpeg: a JPEG, in base64 and at an address; webp is answered as PNG", async () => {
    const asked = { prompt, output_format: "jpeg" as const, size: "1024x1536" as const };
    const made = await client().images.generate({ model: "image-large", ...asked });
    expect(made.output_format).toBe("jpeg");
    const size = { width: 1024, height: 1536, type: "jpg" };
    expect(imageSize(decode(made.data![0]!))).toMatchObject(size);
    const addressed = await client().images.generate({ model: "m+sim-urls", ...asked });
    const file = await load(addressed.data![0]!.url!);
    expect([file.type, imageSize(file.bytes)]).toMatchObject(["image/jpeg", size]);
    expect((await client().images.generate({ model: "m", prompt, output_format: "webp" })).output_format).toBe("png");
  });

  test("an older model gives base64 when it is asked to, a newer one doesn't know the question", async () => {
    const asked = { prompt, response_format: "b64_json" as const };
    expect(readPng(decode((await client().images.generate({ model: "dall-e-3", ...asked })).data![0]!))).toBeTruthy();
    await expect(client().images.generate({ model: "image-large", ...asked })).rejects.toMatchObject({ code: "unknown_parameter" });
  });

  test("sim-images-N, sim-width-N, sim-height-N: fewer, and of another size", async () => {
    const { data } = await client().images.generate({ model: "m+sim-images-1+sim-width-80+sim-height-60", prompt, n: 3 });
    expect(data).toHaveLength(1);
    expect(readPng(decode(data![0]!))).toMatchObject({ width: 80, height: 60 });
  });

  const wrong: [object, string, string][] = [
    [{ prompt: undefined }, "prompt", "missing_required_parameter"],
    [{ prompt: "" }, "prompt", "invalid_value"],
    [{ prompt: "x".repeat(32_001) }, "prompt", "string_above_max_length"],
    [{ n: 11 }, "n", "invalid_value"],
    [{ size: "9x9" }, "size", "invalid_value"],
    [{ size: "9000x9000" }, "size", "invalid_value"],
    [{ quality: "best" }, "quality", "invalid_value"],
    [{ quality: "toString" }, "quality", "invalid_value"],
    [{ output_format: "gif" }, "output_format", "invalid_value"],
    [{ num_images: 1 }, "num_images", "unknown_parameter"],
    [{ stream: true }, "stream", "unsupported_value"],
  ];
  for (const [more, param, code] of wrong) {
    test(`400 ${code}: ${JSON.stringify(more).slice(0, 40)}`, async () => {
      const reply = await post(simulator.current, "/v1/images/generations", { model: "m", prompt, ...more });
      expect(reply.status).toBe(400);
      expect(await reply.json()).toMatchObject({ error: { param, code, type: "invalid_request_error" } });
    });
  }

  async function generate(more: object): Promise<object> {
    const { _request_id, ...answer } = await client().images.generate({ model: "image-large", prompt, ...more } as { prompt: string });
    return answer;
  }
});

describe("edits", () => {
  test("images, a mask and fields as a form; the record has its parts", async () => {
    const image = [await imageFile("a.png"), await imageFile("b.png")];
    const mask = await imageFile("m.png");
    const edited = await client().images.edit({ model: "image-large", prompt, image, mask, n: 2, size: "1024x1536", quality: "low" });
    expect(edited.data!.map((row) => readPng(decode(row)))).toMatchObject([
      { width: 1024, height: 1536 },
      { width: 1024, height: 1536 },
    ]);
    expect(edited.usage).toMatchObject({ input_tokens: 174, input_tokens_details: { text_tokens: 4, image_tokens: 170 } });
    const [call] = simulator.current.calls();
    expect(call).toMatchObject({ model: "image-large", path: "/openai/v1/images/edits", json: undefined });
    const files = call!.parts!.filter(({ fileName }) => fileName !== null);
    expect(files.map(({ name, fileName, contentType }) => [name, fileName, contentType]).sort()).toEqual([
      ["image[]", "a.png", "image/png"],
      ["image[]", "b.png", "image/png"],
      ["mask", "m.png", "image/png"],
    ]);
    expect(call!.parts).toContainEqual({ name: "prompt", text: prompt, fileName: null, contentType: null, bytes: prompt.length });
  });

  test("another image gives another answer, the same image the same answer, whatever the form's boundary", async () => {
    const edit = async (name: string) => (await client().images.edit({ model: "m", prompt, image: await imageFile(name) })).data;
    expect(await edit("a.png")).toEqual(await edit("a.png"));
    expect(await edit("b.png")).not.toEqual(await edit("a.png"));
  });

  test("a large form is recorded in part", async () => {
    const image = await imageFile("big.png", "image/png", Buffer.concat([makePng(64, 48, "x"), Buffer.alloc(3_000_000)]));
    await client().images.edit({ model: "m", prompt, image });
    const [call] = simulator.current.calls();
    expect(Buffer.byteLength(call!.body)).toBeLessThan(1024 * 1024);
    expect(call!.parts).toContainEqual(expect.objectContaining({ fileName: "big.png", bytes: expect.any(Number) }));
  });

  test("400: no image, no form, a form cut short, text as an image, a type that isn't one, too many", async () => {
    const refused = async (form: FormData | string, headers: Record<string, string> = {}) => {
      const reply = await fetch(`${simulator.current.url}/v1/images/edits`, { method: "POST", body: form, headers });
      return [reply.status, ((await reply.json()) as { error: { code: string } }).error.code];
    };
    const form = (files: File[], field = "image[]") => {
      const made = new FormData();
      made.append("model", "m");
      made.append("prompt", prompt);
      for (const file of files) made.append(field, file);
      return made;
    };
    const text = new File(["hello"], "a.png", { type: "image/png" });
    const good = (await imageFile()) as File;
    expect(await refused(form([]))).toEqual([400, "missing_required_parameter"]);
    expect(await refused(form([text]))).toEqual([400, "invalid_image_file"]);
    expect(await refused(form([new File(["hello"], "a.txt", { type: "text/plain" })]))).toEqual([400, "unsupported_file_mimetype"]);
    expect(await refused(form(Array.from({ length: 17 }, () => good)))).toEqual([400, "array_above_max_length"]);
    expect(await refused(form([good], "picture"))).toEqual([400, "unknown_parameter"]);
    expect(await refused("{}", { "content-type": "application/json" })).toEqual([400, "unsupported_content_type"]);
    expect(await refused("--x\r\n", { "content-type": "multipart/form-data; boundary=x" })).toEqual([400, null]);
  });
});

describe("faults", () => {
  test("refusals of content are moderation's, others stay what they are", async () => {
    const generate = (model: string) => client().images.generate({ model, prompt });
    const blocked = { status: 400, code: "moderation_blocked", type: "image_generation_user_error" };
    await expect(generate("m+sim-refuse")).rejects.toMatchObject(blocked);
    await expect(generate("m+sim-refuse-403")).rejects.toMatchObject({ ...blocked, status: 403 });
    await expect(client().images.edit({ model: "m+sim-refuse", prompt, image: await imageFile() })).rejects.toMatchObject(blocked);
    await expect(generate("m+sim-reject")).rejects.toMatchObject({ status: 400, code: "invalid_value", param: "size" });
    await expect(generate("m+sim-context")).rejects.toMatchObject({ status: 400, code: "string_above_max_length" });
    await expect(generate("m+sim-429")).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await expect(generate("m+sim-flaky-1")).rejects.toMatchObject({ status: 503 });
    expect((await generate("m+sim-flaky-1")).data).toHaveLength(1);
  });

  test("a file's address meets the directives of files", async () => {
    const { data } = await client().images.generate({ model: "m+sim-urls+sim-file-redirect-1+sim-file-as-octets", prompt });
    const first = await fetch(data![0]!.url!, { redirect: "manual" });
    expect([first.status, first.headers.get("location")]).toEqual([302, `${data![0]!.url!}?hop=1`]);
    expect((await load(first.headers.get("location")!)).type).toBe("application/octet-stream");
  });
});

describe("variations", () => {
  test("images that follow from one, without a prompt", async () => {
    const vary = async (name: string) =>
      (await client().images.createVariation({ model: "image-large", image: await imageFile(name), n: 2, size: "256x256" })).data!;
    const made = await vary("a.png");
    expect(made.map((row) => readPng(decode(row)))).toMatchObject([
      { width: 256, height: 256 },
      { width: 256, height: 256 },
    ]);
    expect(await vary("a.png")).toEqual(made);
    expect(await vary("b.png")).not.toEqual(made);
  });

  test.each(["prompt", "quality", "mask"])("a form with %s, or a second image, is refused", async (name) => {
    const form = new FormData();
    form.append("model", "m");
    form.append("image", await imageFile("a.png"));
    form.append(name, name === "mask" ? await imageFile("b.png") : "high");
    const ask = (body: FormData) =>
      fetch(`${simulator.current.url}/v1/images/variations`, { method: "POST", body, headers: { authorization: "Bearer k" } });
    const reply = await ask(form);
    expect([reply.status, await reply.json()]).toMatchObject([400, { error: { param: name, code: "unknown_parameter" } }]);
    form.delete(name);
    form.append("image", await imageFile("c.png"));
    expect(await (await ask(form)).json()).toMatchObject({ error: { param: "image", code: "array_above_max_length" } });
  });
});
