// Subtitle files that every player takes, whatever an upstream's segments say.
import { describe, expect, test } from "vitest";
import { srtOf, vttOf } from "../../src/audio/subtitles.ts";

const segment = (start: number, end: number, text: string) => ({ start, end, text });
const two = [segment(0, 1.6, " Good morning,"), segment(1.6, 4.2, " the harbour is open.")];

describe("the form", () => {
  test("srt: numbered from 1, times with a comma, a blank line between cues, as the contract's example", () => {
    expect(srtOf(two)).toBe("1\n00:00:00,000 --> 00:00:01,600\nGood morning,\n\n2\n00:00:01,600 --> 00:00:04,200\nthe harbour is open.\n");
  });

  test("vtt: its signature first, times with a point, as the contract's example", () => {
    expect(vttOf(two)).toBe(
      "WEBVTT\n\n00:00:00.000 --> 00:00:01.600\nGood morning,\n\n00:00:01.600 --> 00:00:04.200\nthe harbour is open.\n",
    );
  });

  test("hours are hours, minutes and seconds end at 59, milliseconds are rounded into the next second", () => {
    const late = [segment(3_599.9996, 3_661.5, "one"), segment(36_000, 86_399.9994, "two")];
    expect(timesOf(srtOf(late))).toEqual(["01:00:00,000 --> 01:01:01,500", "10:00:00,000 --> 23:59:59,999"]);
  });

  test("without segments srt is empty and vtt is its signature", () => {
    expect([srtOf([]), vttOf([])]).toEqual(["", "WEBVTT\n"]);
  });
});

describe("texts that would break a cue", () => {
  test("an arrow is made harmless in srt and escaped in vtt, as is markup", () => {
    const odd = [segment(0, 1, "a --> b ---> c <i>& d")];
    expect(linesOf(srtOf(odd))).toEqual(["a -> b -> c <i>& d"]);
    expect(linesOf(vttOf(odd))).toEqual(["a --&gt; b ---&gt; c &lt;i&gt;&amp; d"]);
  });

  test("millions of dashes are one line like others", () => {
    const dashes = "-".repeat(5_000_000);
    expect(srtOf([segment(0, 1, dashes), segment(1, 2, `${dashes}>`)])).toContain(`${dashes}\n\n2\n00:00:01,000 --> 00:00:02,000\n->\n`);
  });

  test.each(["\n\n", "\r\n\r\n", "\r\r", "\n \t \n", "\u2028\u2029", "\v\f", "\u0085\n"])(
    "blank lines are removed (%j), lines are kept",
    (gap) => {
      expect(linesOf(srtOf([segment(0, 1, `${gap}one${gap}two${gap}`)]))).toEqual(["one", "two"]);
      expect(linesOf(vttOf([segment(0, 1, `one${gap}two`)]))).toEqual(["one", "two"]);
    },
  );

  test("NUL and other control characters become spaces", () => {
    expect(linesOf(vttOf([segment(0, 1, "a\u0000b\u001bc")]))).toEqual(["a b c"]);
  });

  test("a segment without text is left out, and the numbers go on without a gap", () => {
    const gappy = [segment(0, 1, "one"), segment(1, 2, "  \n "), segment(2, 3, ""), segment(3, 4, "two")];
    expect(srtOf(gappy)).toBe("1\n00:00:00,000 --> 00:00:01,000\none\n\n2\n00:00:03,000 --> 00:00:04,000\ntwo\n");
  });
});

describe("times that no player takes", () => {
  test.each([
    [
      "negative",
      [segment(-3, 2, "a"), segment(2, 4, "b")],
      [
        [0, 2],
        [2, 4],
      ],
    ],
    ["reversed", [segment(4, 2, "a")], [[2, 4]]],
    [
      "without length",
      [segment(1, 1, "a"), segment(1, 1, "b")],
      [
        [1, 1.001],
        [1.001, 1.002],
      ],
    ],
    [
      "overlapping: the earlier ends where the later begins",
      [segment(0, 5, "a"), segment(3, 6, "b")],
      [
        [0, 3],
        [3, 6],
      ],
    ],
    [
      "out of order",
      [segment(3, 4, "b"), segment(0, 1, "a")],
      [
        [0, 1],
        [3, 4],
      ],
    ],
    [
      "not a number",
      [segment(NaN, Infinity, "a"), segment(1, 2, "b")],
      [
        [0, 0.001],
        [1, 2],
      ],
    ],
    ["beyond two digits of hours", [segment(1e9, 2e9, "a")], [[356_400, 356_400.001]]],
  ])("%s", (_, segments, expected) => {
    expect(secondsOf(srtOf(segments))).toEqual(expected);
    expect(secondsOf(vttOf(segments))).toEqual(expected);
  });

  test("any times at all: cues begin in order, last, and never overlap", () => {
    let seed = 7;
    const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
    for (let round = 0; round < 200; round++) {
      const segments = Array.from({ length: 12 }, (_, index) => segment(random() * 20 - 5, random() * 20 - 5, `text ${index}`));
      const cues = secondsOf(vttOf(segments));
      expect(cues).toHaveLength(12);
      for (const [index, [start, end]] of cues.entries()) {
        expect(start).toBeGreaterThanOrEqual(0);
        expect(end).toBeGreaterThan(start);
        if (index > 0) expect(start).toBeGreaterThanOrEqual(cues[index - 1]![1]);
      }
    }
  });
});

const timesOf = (file: string) => file.split("\n").filter((line) => line.includes(" --> "));
const linesOf = (file: string) => file.split("\n").slice(file.split("\n").findIndex((line) => line.includes(" --> ")) + 1, -1);

function secondsOf(file: string): [number, number][] {
  return timesOf(file).map((line) => {
    const [, ...parts] = /^(\d\d):([0-5]\d):([0-5]\d)[.,](\d{3}) --> (\d\d):([0-5]\d):([0-5]\d)[.,](\d{3})$/.exec(line)!.map(Number);
    const at = (from: number) => (parts[from]! * 3_600_000 + parts[from + 1]! * 60_000 + parts[from + 2]! * 1000 + parts[from + 3]!) / 1000;
    return [at(0), at(4)];
  });
}
