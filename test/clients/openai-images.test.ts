// Images with the OpenAI SDK: the job passes through its call untouched and is polled with its plain get
// (docs/behaviour/endpoints.md#images-client). Clients that want the image in the answer itself, such as the AI SDK, see an error: the
// contract is asynchronous.
import { createOpenAI } from "@ai-sdk/openai";
import { generateImage } from "ai";
import OpenAI from "openai";
import { expect, test } from "vitest";
import type { components } from "../../generated/api.d.ts";
import { highTiers } from "../support/tiers.ts";
import { useClients } from "./clients.ts";

type ImageJob = components["schemas"]["ImageJob"];

const clients = useClients(
  JSON.stringify({
    tiers: highTiers(),
    providers: [{ id: "queue", protocol: "fal", base_url: "simulator:/fal" }],
    models: [
      {
        ...{ id: "demo/image", type: "image", pricing: { mode: "per-image", usd_per_image: 0.04 } },
        routes: [{ provider: "queue", model: "ember/flash-image" }],
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

test("the AI SDK's generateImage says that it cannot read the answer", async () => {
  const customer = await clients.customer();
  const openai = createOpenAI({ apiKey: customer.account.key, baseURL: `${clients.gateway.url}/v1` });
  await expect(generateImage({ model: openai.image("demo/image"), prompt, maxRetries: 0 })).rejects.toThrow(/Invalid JSON response/);
  const { data } = (await customer.openai().get("/jobs")) as { data: ImageJob[] };
  expect(data).toHaveLength(1);
  await customer.openai().get(`/jobs/${data[0]!.id}`, { query: { wait: 25 } });
});
