// What of a path stands in the gateway's log: never a key, never the name that a file is read by.
import { afterAll, beforeAll, expect, test } from "vitest";
import { auth, call, type EdgeUnderTest, startEdge } from "./start-edge.ts";

let edge: EdgeUnderTest;
beforeAll(async () => void (edge = await startEdge()));
afterAll(() => edge.close());

const secret = "Live0123456789abcdefghij";

test.each([
  [`/v1/auth/keys/svc_${secret}`, "/v1/auth/keys/{key}"],
  [`/v1/auth/keyz/svc_${secret}`, "/v1/auth/keyz/svc_…"],
  [`/v1/auth/keyz/svc%5F${secret}`, "/v1/auth/keyz/svc_…"],
  [`/v1/auth/keyz/%73%76%63%5f${secret}`, "/v1/auth/keyz/svc_…"],
  [`/v1/auth/keyz/svc%5F${secret}%ff`, "/v1/auth/keyz/svc%…"],
  [`/nothing?key=svc_${secret}`, "/nothing"],
  [`/media/${secret}.png`, "/media/…"],
  [`/%6dedia/${secret}.png`, "/media/…"],
  [`//media/${secret}.png`, "//media/…"],
  [`/MEDIA/${secret}.png`, "/media/…"],
])("%s is logged as %s", async (path, shown) => {
  edge.logs.length = 0;
  await call(edge, path, { method: "DELETE", headers: auth });
  expect(edge.logs.map((line) => line["path"])).toContain(shown);
  expect(JSON.stringify(edge.logs)).not.toContain(secret);
});
