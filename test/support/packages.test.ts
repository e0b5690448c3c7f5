// Which test files wait for `npm run test:install`.
import { expect, test } from "vitest";
import { testsThatNeedThem } from "./packages.ts";

test("those that import a published client or ask for its tool, themselves or through a helper, and no others", () => {
  const found = testsThatNeedThem();
  expect(found).toEqual(
    expect.arrayContaining([
      "test/simulator/images.test.ts", // imports openai
      "test/clients/python/openai-chat.test.ts", // through clients.ts
      "test/prism/proxy.test.ts", // runs Prism
      "test/contract/breaking-check.test.ts", // runs oasdiff
      "test/portal/browser.test.ts", // drives a browser
    ]),
  );
  const others = [
    "test/house.test.ts",
    "test/portal/pages.test.ts",
    "test/operations/responses-fields.test.ts",
    "test/ledger/model.test.ts",
  ];
  expect(others.filter((file) => found.includes(file))).toEqual([]);
});
