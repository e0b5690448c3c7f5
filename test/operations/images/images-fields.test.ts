// POST /v1/images/generations: the effect of each field, and the amount held.
import { describe, expect, test } from "vitest";
import { heldOf, submitWorld } from "./submit-gateway.ts";

const world = submitWorld("/v1/images/generations", "img/plain");
const { accepted, refused } = world;
const address = (index: number) => `https://a.example/${index}.png`;
const addresses = (count: number) => Array.from({ length: count }, (_, index) => address(index));

describe("a new job", () => {
  test("202 pending, its hold placed, to be polled in a second", async () => {
    const account = await world.account();
    const { status, json, headers } = await world.submit(account, {});
    expect(status).toBe(202);
    expect(json).toEqual({
      ...{ id: expect.stringMatching(/^job_[0-9a-f]{32}$/), object: "image.job", status: "pending", model: "img/plain" },
      ...{ created_at: expect.any(String), completed_at: null, output: null, error: null },
      ...{ estimated_cost: 0.04, charged_amount: null, refunded_amount: null },
    });
    expect(headers).toMatchObject({ "retry-after": "1", "x-ratelimit-limit-requests": expect.any(String) });
    expect(headers).not.toHaveProperty("x-svc-alias");
    expect(await heldOf(world.gateway, account)).toEqual({ held: 0.04, balance: 19.96 });
  });

  test("of an alias names the model, and the alias in x-svc-alias", async () => {
    const { json, headers } = await world.submit(await world.account(), { model: "draw" });
    expect([json.model, headers["x-svc-alias"]]).toEqual(["img/plain", "draw"]);
  });

  test("null means not given, and unknown fields are ignored", async () => {
    const fields = { n: null, size: null, quality: null, image_url: null, image_urls: null, idempotency_key: null, extra: null };
    expect(await accepted({ ...fields, callback_url: "https://a.example" }, 0.04)).toEqual({
      ...{ prompt: "A lighthouse", count: 1, size: { width: 1024, height: 1024 }, aspect: "1:1", quality: null, references: [], extra: {} },
    });
  });
});

describe("n", () => {
  test.each([
    [1, 1],
    [4, 4],
    [2.9, 2],
    [0, 1],
    [-3, 1],
    [5, 4],
    [1e300, 4],
    [0.5, 1],
  ])("%d becomes %i, each at the model's rate", async (n, count) => {
    expect(await accepted({ n }, Number((0.04 * count).toFixed(8)))).toMatchObject({ count });
  });
  test("the per-megapixel model makes 1", async () => {
    expect(await accepted({ model: "img/mp", n: 4 }, 0.03048288)).toMatchObject({ count: 1 });
  });
  test.each(["2", true, [1]])("400 invalid_parameter: %j is no number", async (n) => {
    expect((await refused({ n }, 400, "invalid_parameter")).json.error.param).toBe("n");
  });
});

describe("size", () => {
  test.each([
    ["img/plain", "1920x1080", { size: { width: 1344, height: 768 }, aspect: "16:9" }],
    ["img/plain", "16:9", { size: { width: 1024, height: 1024 }, aspect: "1:1" }],
    ["img/landscape", "auto", { size: { width: 1344, height: 768 }, aspect: "16:9" }],
    ["img/landscape", "2560x1080", { size: { width: 1344, height: 768 }, aspect: "16:9" }],
    ["img/landscape", "1000x1000", { size: { width: 1024, height: 1024 }, aspect: "1:1" }],
  ])("%s, %s", async (model, size, order) => {
    expect(await accepted({ model, size }, 0.04)).toMatchObject(order);
  });

  test.each([
    ["2048x2048", 0.07791456, "1:1"], // 4,194,304 pixels are asked for
    ["100x100", 0.03, "1:1"],
    ["4000x500", 0.045, "16:9"], // far from all six
    ["auto", 0.03048288, "16:9"], // 1344 x 768
    [null, 0.03048288, "16:9"],
  ])("the per-megapixel model holds for the size asked for: %s", async (size, hold, aspect) => {
    expect(await accepted({ model: "img/mp", size }, hold)).toMatchObject({ aspect });
  });

  test("a side of six digits is read as well: 16:9, held for its 14,400 megapixels", async () => {
    expect(await accepted({ size: "160000x90000" }, 0.04)).toMatchObject({ size: { width: 1344, height: 768 }, aspect: "16:9" });
    const account = await world.account({ deposit: "300" });
    const { status, json } = await world.submit(account, { model: "img/mp", size: "160000x90000" });
    expect([status, json.estimated_cost]).toEqual([202, 216.015]);
    expect(await heldOf(world.gateway, account)).toEqual({ held: 216.015, balance: 83.985 });
  });
  test.each([
    ["160000x90000", "216.015"],
    ["12345678901x98765432109", "135107988"],
    [`${"9".repeat(400)}x${"9".repeat(400)}`, "135107988"],
  ])("402: the hold of %s is more than there is", async (size, need) => {
    const { json } = await refused({ model: "img/mp", size }, 402, "insufficient_balance");
    expect(json.error.message).toContain(`at least ${need}`);
  });

  test.each(["1024x1536", "1536x1024"])("the reference-image flash model gets %s as asked", async (size) => {
    const [width, height] = size.split("x").map(Number);
    expect(await accepted({ model: "img/flash", size }, 0.019)).toMatchObject({ size: { width, height } });
  });
  test.each(["2048x2048", "1537x1024", "16:9"])("400 invalid_parameter: it refuses %s", async (size) => {
    const { json } = await refused({ model: "img/flash", size }, 400, "invalid_parameter");
    expect(json.error).toMatchObject({ param: "size", message: expect.stringContaining("1536x1024") });
  });
});

describe("quality", () => {
  test.each([
    ["low", "low", 0.009],
    ["medium", "medium", 0.019],
    ["high", "high", 0.285],
    ["auto", "medium", 0.019],
    ["standard", "medium", 0.019],
    ["hd", "high", 0.285],
    [null, "medium", 0.019],
  ])("%s runs and is held as %s", async (quality, ran, hold) => {
    expect(await accepted({ model: "img/quality", quality }, hold)).toMatchObject({ quality: ran });
  });
  test.each(["best", "HIGH", "", "constructor"])("400 invalid_parameter: %j", async (quality) => {
    expect((await refused({ model: "img/quality", quality }, 400, "invalid_parameter")).json.error.param).toBe("quality");
  });
  test("other models ignore it", async () => expect(await accepted({ quality: "best" }, 0.04)).toMatchObject({ quality: null }));
});

describe("references", () => {
  test("are ignored by text-to-image models, whatever they hold", async () => {
    expect(await accepted({ image_url: "http://localhost", image_urls: addresses(99) }, 0.04)).toMatchObject({ references: [] });
  });
  test("image_urls wins over image_url", async () => {
    const body = { model: "img/ten", image_url: address(9), image_urls: addresses(2) };
    expect(await accepted(body, 0.04)).toMatchObject({ references: addresses(2) });
  });
  test("the fee is held once a request that carries any", async () => {
    expect(await accepted({ model: "img/flash", quality: "low", n: 2, image_urls: addresses(16) }, 0.03)).toMatchObject({ count: 2 });
    await accepted({ model: "img/flash", quality: "low", image_urls: [] }, 0.009);
  });
  test.each([
    ["img/ten", 10],
    ["img/edit", 10],
    ["img/mp", 10],
    ["img/quality", 16],
    ["img/flash", 16],
  ])("400 too_many_references: %s takes %i", async (model, max) => {
    const account = await world.account();
    expect((await world.submit(account, { model, image_urls: addresses(max) })).status).toBe(202);
    const { json } = await refused({ model, image_urls: addresses(max + 1) }, 400, "too_many_references");
    expect(json.error).toMatchObject({ param: "image_urls", message: expect.stringContaining(String(max)) });
  });
  test("400 image_url_required: the edit model without one", async () => {
    expect((await refused({ model: "img/edit" }, 400, "image_url_required")).json.error.param).toBe("image_url");
    expect(await accepted({ model: "img/edit", image_url: address(0) }, 0.04)).toMatchObject({ references: [address(0)] });
  });
  test.each([
    [{ image_url: "http://a.example/a.png" }, "image_url"],
    [{ image_url: "https://127.0.0.1/a.png" }, "image_url"],
    [{ image_urls: [address(0), address(1), "https://0x7f.1/"] }, "image_urls[2]"],
    [{ image_urls: [address(0), 5] }, "image_urls[1]"],
  ])("400 invalid_parameter: %j", async (fields, param) => {
    expect((await refused({ model: "img/ten", ...fields }, 400, "invalid_parameter")).json.error.param).toBe(param);
  });
});

test("extra goes on without what has a price or is moderated", async () => {
  const extra = {
    seed: 7,
    style: "flat",
    num_images: 4,
    prompt: "other",
    image_size: "4096x4096",
    quality: "hd",
    enable_safety_checker: false,
  };
  expect(await accepted({ extra }, 0.04)).toMatchObject({ prompt: "A lighthouse", count: 1, extra: { seed: 7, style: "flat" } });
  expect((await refused({ extra: "seed" }, 400, "invalid_parameter")).json.error.param).toBe("extra");
  expect((await refused({ extra: { style: "x".repeat(70_000) } }, 400, "invalid_parameter")).json.error.param).toBe("extra");
});

test("the prompt goes on in NFC", async () => {
  expect(await accepted({ prompt: "e\u0301".repeat(4000) }, 0.04)).toMatchObject({ prompt: "é".repeat(4000) });
});
