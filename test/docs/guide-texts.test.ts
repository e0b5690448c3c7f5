// The guides as pages: the list of them, how each begins, where their links lead, which samples don't run, and the operator's catalog.
import { describe, expect, test } from "vitest";
import { loadCatalog } from "../../src/catalog/load.ts";
import { guides } from "../../src/docs/guide-pages.ts";
import { blocksOf, guideNames, readGuide, runLanguages } from "./guide-blocks.ts";
import { hasHeading } from "./headings.ts";
import { readme } from "./known-names.ts";

/** Samples that no test runs, and why. This list may only become shorter. */
const notRun = [
  "accounts-and-credit: this gateway takes no payments",
  "audio: the address is your own",
  "clients: address and key are your own",
  "operator: needs a container engine",
  "operator: the keys are your own",
  "quick-start: address and key are your own",
];

test("no sample stops running", () => {
  const found = guideNames.flatMap((guide) => blocksOf(guide).flatMap(({ noRun }) => (noRun === null ? [] : [`${guide}: ${noRun}`])));
  expect(found).toEqual(notRun);
});

test("each fence is of a language that runs, or of one that is only read", () => {
  const others = guideNames
    .flatMap(blocksOf)
    .filter(({ language }) => ![...runLanguages, "go", "java", "rust", "json", "yaml", "toml"].includes(language));
  expect(others.map(({ guide, line }) => `${guide}:${line}`)).toEqual([]);
});

test("the list names every file, by its own title; the README says the same of it", () => {
  expect(guides.map(({ slug }) => slug).sort()).toEqual(guideNames);
  for (const { slug, title, summary } of guides) {
    expect(readGuide(slug)).toMatch(new RegExp(`^# ${title}\n`));
    expect(readme).toContain(`\n| [${title}](src/docs/guides/${slug}.md) | ${summary} |\n`);
  }
});

const bookOf = (slug: string) => guides.find((guide) => guide.slug === slug)!.book;
const customers = guideNames.filter((slug) => bookOf(slug) === "customer");

test("the customer's book links to itself alone, and holds no command of the operator's", () => {
  expect(guideNames.filter((slug) => bookOf(slug) === "operator")).toEqual(["operator"]);
  for (const slug of customers) {
    const page = readGuide(slug).replace(/^<!--.*-->$/gm, "");
    expect([slug, page.match(/(?:npx|bin\/)\s?svc\b.*|`svc [a-z].*|\bnpm (?:start|run|ci)\b.*|\boperator\.md.*/g) ?? []]).toEqual([
      slug,
      [],
    ]);
  }
});

describe.each(guideNames)("%s", (guide) => {
  const page = readGuide(guide);

  test("it begins with what its reader gets", () => {
    expect(page).toMatch(/^# .+\n\n(?!You (?:get|learn|have)\b)[A-Z](?:[^\n]|\n(?!\n))+\.\n\n/);
  });

  test("its links lead to guides and to places that the portal has", () => {
    const targets = [...page.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
    const leads = (target: string) =>
      guideNames.some((name) => target === `${name}.md`) ||
      /^\/docs\/errors(#\w+)?$/.test(target) ||
      (target.startsWith("#") && hasHeading(page, target.slice(1)));
    expect(targets.filter((target) => !leads(target))).toEqual([]);
  });
});

test("the operator's catalog is one that starts", () => {
  const [yaml] = blocksOf("operator").filter(({ language }) => language === "yaml");
  const environment = { OPENAI_API_KEY: "key", GROQ_API_KEY: "key" };
  const { catalog, warnings } = loadCatalog({ text: yaml!.code, environment, simulatorUrl: null });
  expect(warnings).toEqual([]);
  expect(catalog.listed.map(({ id }) => id)).toEqual(["north/chat-small"]);
});
