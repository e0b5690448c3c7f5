// Images with the OpenAI SDK: the job passes through its call untouched and is polled with its plain get, or the answer is waited for with the
// header Prefer (docs/behaviour/endpoints.md#images-client). Clients that want the image in the answer itself, such as the AI SDK, need it.
import { createOpenAI } from "@ai-sdk/openai";
import { generateImage } from "ai";
import OpenAI from "openai";
import { expect, test } from "vitest";
import type { components } from "../../generated/api.d.ts";
import { makeImage } from "../../src/simulator/made/image.ts";
import { highTiers } from "../support/tiers.ts";
import { useClients } from "./clients.ts";

type ImageJob = components["schemas"]["ImageJob"];

const clients = useClients(
  JSON.stringify({
    tiers: highTiers(),
    providers: [
      { id: "queue", protocol: "fal", base_url: "simulator:/fal" },
      { id: "north", protocol: "openai", base_url: "simulator:/openai/v1" },
    ],
    models: [
      {
        ...{
          id: "demo/edit",
          type: "image",
          requires_image: true,
          supports_variations: true,
          pricing: { mode: "per-image", usd_per_image: 0.04 },
        },
        routes: [{ provider: "north", model: "image-large" }],
      },
      {
        ...{ id: "demo/image", type: "image", pricing: { mode: "per-image", usd_per_image: 0.04 } },
        routes: [{ provider: "queue", model: "ember/flash-image" }],
      },
      {
        ...{ id: "demo/refused", type: "image", pricing: { mode: "per-image", usd_per_image: 0.04 } },
        routes: [{ provider: "queue", model: "ember/flash-image+sim-refuse" }],
      },
    ],
    aliases: { "gpt-image-1": "demo/image" },
  }),
);
const prompt = "A lighthouse at dusk";

test("images.generate gives the job, whose data is undefined; get polls it; its address needs no key", async () => {
  const customer = await clients.customer();
  const client = customer.openai();
  const request = { model: "gpt-image-1", prompt, n: 2, size: "1024x1024" as const, quality: "standard" as const, style: "vivid" as const };
  const { data, response } = await client.images.generate({ ...request, user: "u-1" }).withResponse();
  const submitted = data as unknown as ImageJob;
  expect([response.status, response.headers.get("x-svc-alias"), data.data]).toEqual([202, "gpt-image-1", undefined]);
  expect(submitted).toMatchObject({ object: "image.job", status: "pending", model: "demo/image", estimated_cost: 0.08 });
  const job = (await client.get(`/jobs/${submitted.id}`, { query: { wait: 25 } })) as ImageJob;
  expect(job).toMatchObject({
    status: "succeeded",
    charged_amount: 0.08,
    output: { metadata: { images: [{}, { content_type: "image/png" }] } },
  });
  const file = await fetch(job.output!.url);
  expect([file.status, file.headers.get("content-type")]).toEqual([200, "image/png"]);
  expect(await customer.spent()).toBe(0.08);
});

test("what is refused is an error of the SDK with our code and field, and is not sent again", async () => {
  const customer = await clients.customer();
  const asked = customer.openai().images.generate({ model: "demo/imag", prompt });
  await expect(asked).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  await expect(asked).rejects.toMatchObject({ status: 400, code: "invalid_model", param: "model" });
  expect(customer.exchanges).toHaveLength(1);
});

test("an idempotency key in the header names the job: one job, one charge", async () => {
  const customer = await clients.customer();
  const client = customer.openai();
  const submit = async () => {
    const options = { headers: { "Idempotency-Key": "cover-1" } };
    return (await client.images.generate({ model: "demo/image", prompt }, options)) as unknown as ImageJob;
  };
  const [first, second] = [await submit(), await submit()];
  expect(second.id).toBe(first.id);
  await client.get(`/jobs/${first.id}`, { query: { wait: 25 } });
  expect(await customer.spent()).toBe(0.04);
});

test("with Prefer: wait, images.generate gives the images themselves, and a refused prompt is an error", async () => {
  const customer = await clients.customer();
  const client = customer.openai({ defaultHeaders: { prefer: "wait" } });
  const made = await client.images.generate({ model: "demo/image", prompt, n: 2 });
  expect(made.created).toBeGreaterThan(1_700_000_000);
  expect(made.data).toHaveLength(2);
  for (const { url } of made.data!) expect((await fetch(url!)).headers.get("content-type")).toBe("image/png");
  const [bytes] = (await client.images.generate({ model: "demo/image", prompt, response_format: "b64_json" })).data!;
  expect(Buffer.from(bytes!.b64_json!, "base64").subarray(1, 4).toString()).toBe("PNG");
  await expect(client.images.generate({ model: "demo/refused", prompt })).rejects.toMatchObject({ status: 422, code: "content_policy" });
  expect(await customer.spent()).toBe(0.12);
});

test("the AI SDK's generateImage cannot read the job, and reads the images with Prefer: wait", async () => {
  const customer = await clients.customer();
  const made = (headers: Record<string, string>) => {
    const openai = createOpenAI({ apiKey: customer.account.key, baseURL: `${clients.gateway.url}/v1`, headers });
    return generateImage({ model: openai.image("demo/image"), prompt, maxRetries: 0 });
  };
  await expect(made({})).rejects.toThrow(/Invalid JSON response/);
  const { data } = (await customer.openai().get("/jobs")) as { data: ImageJob[] };
  expect(data).toHaveLength(1);
  await customer.openai().get(`/jobs/${data[0]!.id}`, { query: { wait: 25 } });
  expect((await made({ prefer: "wait" })).image.mediaType).toBe("image/png");
});

test("images.edit gives the images of one upload or several; a model that edits none is an error", async () => {
  const customer = await clients.customer();
  const client = customer.openai();
  const file = (seed: string) => new File([new Uint8Array(makeImage("png", 64, 64, seed).bytes)], `${seed}.png`, { type: "image/png" });
  const one = await client.images.edit({ model: "demo/edit", prompt, image: file("a") });
  expect(one.data).toEqual([{ url: expect.stringMatching(/\/media\/\w+\.png$/) }]);
  const several = await client.images.edit({
    model: "demo/edit",
    prompt,
    image: [file("a"), file("b")],
    n: 2,
    response_format: "b64_json",
  });
  expect(several.data!.map(({ b64_json }) => Buffer.from(b64_json!, "base64").toString("latin1", 1, 4))).toEqual(["PNG", "PNG"]);
  expect(await customer.spent()).toBe(0.12);
  const refused = client.images.edit({ model: "demo/image", prompt, image: file("a") });
  await expect(refused).rejects.toMatchObject({ status: 400, code: "invalid_parameter", param: "model" });
});

test("images.createVariation gives images of an upload; a model that makes none is an error", async () => {
  const customer = await clients.customer();
  const client = customer.openai();
  const image = new File([new Uint8Array(makeImage("png", 64, 64, "a").bytes)], "a.png", { type: "image/png" });
  const made = await client.images.createVariation({ model: "demo/edit", image, n: 2, size: "256x256" });
  expect(made.data).toEqual(Array.from({ length: 2 }, () => ({ url: expect.stringMatching(/\/media\/\w+\.png$/) })));
  expect(await customer.spent()).toBe(0.08);
  const refused = client.images.createVariation({ model: "demo/image", image });
  await expect(refused).rejects.toMatchObject({ status: 400, code: "invalid_parameter", param: "model" });
});
