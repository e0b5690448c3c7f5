// The fields of a genmedia run: under `input`, or flat beside `model` (docs/behaviour/media-jobs.md#genmedia). The edge has validated nested
// ones; the contract allows anything beside `model`, so flat ones are validated here. Unknown fields are ignored.
import type { components } from "../../generated/api.d.ts";
import { failParameter } from "../errors/fail.ts";
import type { VideoFields } from "./video-plan.ts";
import type { ImageFields } from "./image-plan.ts";

type Body = components["schemas"]["GenmediaRequest"];

/** Fails with invalid_parameter. */
export function genmediaInput(body: Body): ImageFields & VideoFields {
  const given = (body.input ?? body) as Record<string, unknown>;
  const read = <T>(name: string, is: (value: unknown) => value is T, what: string): T | null => {
    const value = given[name];
    if (value === undefined || value === null) return null;
    return is(value) ? value : failParameter(name, `it must be ${what}`);
  };
  const text = (name: string) => read(name, isText, "a string");
  const number = (name: string) => read(name, isNumber, "a number");
  return {
    prompt: text("prompt"),
    image_url: text("image_url"),
    image_urls: read("image_urls", isTexts, "an array of strings"),
    audio_url: text("audio_url"),
    n: number("n"),
    size: text("size"),
    quality: text("quality"),
    duration_s: number("duration_s"),
    aspect_ratio: text("aspect_ratio"),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}
