// The documents of the repository: their links, scripts and files exist, the README stays a page, and comments cite what is there.
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { hasHeading } from "./headings.ts";
import { scripts } from "./known-names.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** The guides have tests of their own: their links are the portal's. */
const documents = globSync(["*.md", "docs/**/*.md", "deploy/**/*.md", "src/**/README.md", "spec/*.md"], { cwd: root }).sort();

/** A file or folder of the repository, and in it the heading that is named. */
function leadsSomewhere(target: string, from: string): boolean {
  if (/^(?:https?|mailto):/.test(target)) return true;
  const [path, anchor] = target.split("#") as [string, string | undefined];
  const file = path === "" ? from : normalize(join(dirname(from), path));
  if (file.startsWith("..") || !existsSync(join(root, file))) return false;
  return anchor === undefined || (file.endsWith(".md") && hasHeading(read(file), anchor));
}

describe.each(documents)("%s", (name) => {
  const page = read(name);

  test("its links lead to files and headings", () => {
    const prose = page.replace(/^```.*?^```$/gms, "").replace(/`[^`\n]*`/g, "");
    const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
    expect(targets.filter((target) => !leadsSomewhere(target, name))).toEqual([]);
  });

  test("its scripts and files exist", () => {
    const scriptNames = [...page.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script!);
    expect(scriptNames.filter((script) => !scripts.has(script))).toEqual([]);
    const files = [...page.matchAll(/`((?:src|spec|test|generated|handlers|bin|bench|deploy|docs)\/[\w./-]+)`/g)].map(([, file]) => file!);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });
});

test("the README is a page: at most 8 KB, its image at most 150", () => {
  expect(statSync(join(root, "README.md")).size).toBeLessThanOrEqual(8_192);
  const [, image] = /!\[[^\]]+\]\(([^)]+)\)/.exec(read("README.md"))!;
  expect(statSync(join(root, image!)).size).toBeLessThanOrEqual(153_600);
});

test("what code and tests cite of the documents is there", () => {
  const patterns = ["{src,handlers,spec,test,bin}/**/*.{ts,tsp,js,toml}"];
  const sources = globSync(patterns, { cwd: root, exclude: ["**/node_modules/**"] });
  const cited = sources.flatMap((file) =>
    [...read(file).matchAll(/(?<![\w/])(docs\/[\w/-]+\.md(?:#[\w-]+)?|CONTRIBUTING\.md(?:#[\w-]+)?)/g)].map(([, target]) => ({
      file,
      target: target!,
    })),
  );
  expect(cited.filter(({ target }) => !leadsSomewhere(target, "README.md")).map(({ file, target }) => `${file}: ${target}`)).toEqual([]);
});

test("every decision and every file of behaviour stands in its table", () => {
  for (const folder of ["docs/decisions", "docs/behaviour"]) {
    const index = read(`${folder}/README.md`);
    const files = globSync("*.md", { cwd: join(root, folder) }).filter((file) => file !== "README.md");
    expect(files.filter((file) => !index.includes(`](${file})`))).toEqual([]);
  }
});

test("the table of decisions has each file's number, title and date", () => {
  const files = globSync("0*.md", { cwd: join(root, "docs/decisions") }).sort();
  const rows = files.map((file) => {
    const [, number, title, date] = /^# (\d+)\. (.+)\n\nLast changed (\d{4}-\d\d-\d\d)\./.exec(read(`docs/decisions/${file}`))!;
    return `| ${number} | [${title}](${file}) | ${date} |`;
  });
  expect(read("docs/decisions/README.md").split("\n").filter((line) => /^\| \d/.test(line))).toEqual(rows); // prettier-ignore
});

test("each dependency that ships stands in docs/libraries.md, and what is taken there is one; its files exist", () => {
  const page = read("docs/libraries.md");
  const { dependencies, devDependencies } = JSON.parse(read("package.json")) as Record<string, Record<string, string>>;
  const named = (name: string) => page.includes(name) || page.includes(name.replace(/^@[^/]+\//, ""));
  expect(Object.keys(dependencies!).filter((name) => !named(name))).toEqual([]);
  const taken = page.slice(page.indexOf("## Taken"), page.indexOf("## By hand"));
  const cells = [...taken.matchAll(/^\| [^|]+ \| ([^|]+) \|/gm)].slice(2).map(([, cell]) => cell!.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1"));
  const versions = cells.flatMap((cell) => [...cell.matchAll(/(@?[\w./-]+) (\d+\.\d+\.\d+)/g)]).filter(([, name]) => name !== "openapi-python-client"); // prettier-ignore
  const ours: Record<string, string> = { ...dependencies, ...devDependencies };
  expect(versions.length).toBeGreaterThan(10);
  expect(versions.filter(([, name, version]) => ours[name!]?.replace(/^\^/, "") !== version).map(([text]) => text)).toEqual([]);
  const files = [...page.matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, file]) => file!);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
