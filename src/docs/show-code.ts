// Code on a page: a fence of Markdown, and the same in several languages.
import type { HtmlBlock, Sample } from "./types.ts";

export function fence(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``;
}

/** Tabs on the page, fences one after the other in its twin. */
export function samplesBlock(samples: readonly Sample[]): HtmlBlock {
  return {
    html: (tools) => tools.samples(samples),
    markdown: samples.map(({ language, code }) => fence(language, code)).join("\n\n"),
  };
}
