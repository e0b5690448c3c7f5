// The size of an image, for every habit of a model and of a caller.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { snapSize } from "../../src/jobs/image-plan.ts";

type Media = Parameters<typeof snapSize>[0]["media"];
const size = (text: string) => {
  const [width, height] = text.split("x").map(Number) as [number, number];
  return { width, height };
};
const text = ({ width, height }: { width: number; height: number }) => `${width}x${height}`;
const model = (media: Partial<Media>) => ({
  id: "a/model",
  media: { defaultAspect: "1:1", sizes: null, allowedSizes: [], ...media } as Media,
});
const snapped = (media: Partial<Media>, asked: string | null | undefined) => {
  const { size: made, aspect, asked: held } = snapSize(model(media), asked);
  return [text(made), aspect, text(held)];
};

describe("a model without sizes of its own", () => {
  test.each([
    ["1024x1024", "1024x1024", "1:1"],
    ["512x512", "1024x1024", "1:1"],
    ["1920x1080", "1344x768", "16:9"],
    ["1080x1920", "768x1344", "9:16"],
    ["1024x768", "1152x896", "4:3"],
    ["768x1024", "896x1152", "3:4"],
    ["2560x1080", "1536x640", "21:9"],
    ["1536x1024", "1152x896", "4:3"], // 3:2 is nearer to 4:3 than to 16:9
    ["1024x1536", "896x1152", "3:4"],
    ["99999x99999", "1024x1024", "1:1"],
    ["1x1", "1024x1024", "1:1"],
    ["160000x90000", "1344x768", "16:9"],
    ["90000x160000", "768x1344", "9:16"],
    ["100000x1", "1024x1024", "1:1"], // far from all six
    ["2990x1000", "1536x640", "21:9"], // ln(2.99 / 2.333) = 0.248
    ["439x1000", "768x1344", "9:16"], // ln(0.5625 / 0.439) = 0.248
  ])("%s becomes %s", (asked, made, aspect) => expect(snapped({}, asked)).toEqual([made, aspect, asked]));

  test.each([1, 20, 149, 150, 151, 308, 309, 1000, 1_000_000])(
    "a side of %d more digits is read: the ratio stays, and the size is far more",
    (more) => {
      const zeros = "0".repeat(more);
      const { size: made, asked } = snapSize(model({}), `16${zeros}x9${zeros}`);
      expect(text(made)).toBe("1344x768");
      if (more > 20) expect(asked.width * asked.height).toBeGreaterThan(1e40);
      expect(text(snapSize(model({}), `16${zeros}x9`).size)).toBe("1024x1024");
      expect(text(snapSize(model({}), `9x16${zeros}`).size)).toBe("1024x1024");
    },
  );

  test.each(["3000x1000", "438x1000", "1000x3000", "4000x500"])("%s is far from all six: the default, held as asked", (asked) =>
    expect(snapped({}, asked)).toEqual(["1024x1024", "1:1", asked]),
  );

  test.each(["auto", "16:9", "", "1024", "x1024", "1024x", "0x0", "-1x5", "1e3x1e3", "1024x1024x1", "large", "١٠x١٠", null, undefined])(
    "%j is no size: the model's default",
    (asked) => expect(snapped({}, asked)).toEqual(["1024x1024", "1:1", "1024x1024"]),
  );
});

describe("a model with sizes of its own", () => {
  const sizes = { "1:1": size("1024x1024"), "16:9": size("1820x1024"), "4:3": size("1365x1024") };
  const own = { sizes, defaultAspect: "16:9" };
  test.each([
    ["1024x768", "1365x1024", "4:3"],
    ["2100x900", "1820x1024", "16:9"], // 21:9, which it has not
    ["768x1024", "1820x1024", "16:9"], // 3:4, which it has not
    ["2048x2048", "1024x1024", "1:1"],
    ["5000x500", "1820x1024", "16:9"],
  ])("%s becomes %s", (asked, made, aspect) => expect(snapped(own, asked)).toEqual([made, aspect, asked]));
  test.each(["auto", "21:9", null])("%j: its default", (asked) => expect(snapped(own, asked)).toEqual(["1820x1024", "16:9", "1820x1024"]));
  test("a default aspect that is none of the six is one of its own", () => {
    expect(snapped({ sizes: { "3:2": size("1500x1000") }, defaultAspect: "3:2" }, "auto")).toEqual(["1500x1000", "3:2", "1500x1000"]);
    expect(snapped({ defaultAspect: "3:2" }, "auto")).toEqual(["1280x832", "3:2", "1280x832"]);
  });
});

describe("a model that lists the sizes it takes", () => {
  const flash = { allowedSizes: ["1024x1024", "1024x1536", "1536x1024", "auto"] };
  test.each(["1024x1024", "1024x1536", "1536x1024"])("%s is sent as asked", (asked) => expect(snapped(flash, asked)[0]).toBe(asked));
  test("2:3 and 3:2 are none of the six aspects", () => {
    expect(snapped(flash, "1024x1536")).toEqual(["1024x1536", null, "1024x1536"]);
    expect(snapped(flash, "1024x1024")).toEqual(["1024x1024", "1:1", "1024x1024"]);
  });
  test.each(["auto", null, undefined])("%j: its default", (asked) => expect(snapped(flash, asked)[0]).toBe("1024x1024"));
  test.each(["2048x2048", "1537x1024", "160000x90000", "512x512", "16:9", "", "big"])("%j is refused", (asked) => {
    expect(() => snapped(flash, asked)).toThrow(
      expect.objectContaining({ code: "invalid_parameter", details: expect.objectContaining({ param: "size" }) }),
    );
  });
  test("auto is refused where it is not listed; nothing asked for is a size that is", () => {
    expect(() => snapped({ allowedSizes: ["512x512"] }, "auto")).toThrow();
    expect(snapped({ allowedSizes: ["512x512"] }, null)[0]).toBe("512x512");
  });
});

test("whatever is asked for, one of the six built-in sizes is made, the nearest one unless it is far", () => {
  const side = fc.integer({ min: 1, max: 99_999 });
  const ratios = { "1024x1024": 1, "1344x768": 16 / 9, "768x1344": 9 / 16, "1152x896": 4 / 3, "896x1152": 3 / 4, "1536x640": 21 / 9 };
  fc.assert(
    fc.property(side, side, (width, height) => {
      const distances = Object.entries(ratios).map(
        ([made, ratio]) => [made, Math.abs(Math.log(width / height) - Math.log(ratio))] as const,
      );
      const nearest = Math.min(...distances.map(([, distance]) => distance));
      fc.pre(Math.abs(nearest - 0.25) > 1e-9);
      const made = snapped({}, `${width}x${height}`)[0];
      if (nearest > 0.25) expect(made).toBe("1024x1024");
      else expect(distances.find(([name]) => name === made)![1]).toBeCloseTo(nearest, 9);
    }),
  );
});
