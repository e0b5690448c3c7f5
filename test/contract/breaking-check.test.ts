// The gate of npm run contract:breaking, on small repositories of its own: what breaks a client of the last release ends with 1 and is named.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { drawn, oneInThree } from "../support/size.ts";
import "../support/packages.ts"; // oasdiff is one of them

const script = fileURLToPath(new URL("../../spec/breaking-check.ts", import.meta.url));
const ours = readFileSync(fileURLToPath(new URL("../../generated/openapi.json", import.meta.url)), "utf8");

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function newFolder(): string {
  folders.push(mkdtempSync(join(tmpdir(), "svc-breaking-")));
  return folders.at(-1)!;
}

function git(folder: string, ...words: string[]): void {
  const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...identity, ...words], { cwd: folder, stdio: "ignore" });
}

interface Files {
  contract?: object | string;
  changelog?: string;
}

function write(folder: string, { contract, changelog }: Files): void {
  for (const name of ["generated", "spec"]) mkdirSync(join(folder, name), { recursive: true });
  const text = typeof contract === "string" ? contract : JSON.stringify(contract);
  if (contract !== undefined) writeFileSync(join(folder, "generated/openapi.json"), text);
  if (changelog !== undefined) writeFileSync(join(folder, "spec/CHANGELOG.md"), changelog);
}

function commit(folder: string, files: Files, tag?: string): void {
  write(folder, files);
  git(folder, "add", "--all");
  git(folder, "commit", "--message", "Some change", "--allow-empty");
  if (tag !== undefined) git(folder, "tag", tag);
}

function newRepository(): string {
  const folder = newFolder();
  git(folder, "init", "--initial-branch=main");
  return folder;
}

/** A release of `before`, and `after` in the folder, told in the changelog. */
function released(before: object | string, after: object | string): string {
  const folder = newRepository();
  commit(folder, { contract: before, changelog: "# Changes\n" }, "v1.0.0");
  write(folder, { contract: after, changelog: "# Changes\n\n- Something.\n" });
  return folder;
}

function check(folder: string): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, folder], { encoding: "utf8" });
  return { status, output: stdout + stderr };
}

const json = <Schema extends object>(schema: Schema) => ({ content: { "application/json": { schema } } });
const object = (properties: Record<string, object>, required: string[]) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const text = { type: "string" };
const error = (...codes: string[]) => ({ description: "Refused.", ...json(object({ code: { type: "string", enum: codes } }, ["code"])) });

const contract = () => ({
  openapi: "3.1.0",
  info: { title: "Small", version: "1.0.0" },
  paths: {
    "/v1/songs": {
      get: {
        operationId: "listSongs",
        parameters: [{ name: "limit", in: "query", required: false, schema: { type: "integer", maximum: 100 } }],
        responses: { 200: { description: "Songs.", ...json({ type: "array", items: text }) } },
      },
      post: {
        operationId: "createSong",
        requestBody: { required: true, ...json(object({ title: text, mood: { type: "string", enum: ["calm", "loud"] } }, ["title"])) },
        responses: {
          200: {
            description: "The song.",
            headers: { "x-cost": { schema: text } },
            ...json(object({ id: text, status: { type: "string", enum: ["queued", "done"] }, note: text }, ["id", "status"])),
          },
          400: error("invalid_title", "invalid_mood"),
          402: error("insufficient_credits"),
        },
      },
    },
  },
});

type Contract = ReturnType<typeof contract>;

function changed(change: (song: Contract["paths"]["/v1/songs"], whole: Contract) => unknown): Contract {
  const whole = contract();
  change(whole.paths["/v1/songs"], whole);
  return whole;
}

const bodyOf = ({ post }: Contract["paths"]["/v1/songs"]) => post.requestBody.content["application/json"].schema;
const answerOf = ({ post }: Contract["paths"]["/v1/songs"]) => post.responses[200].content["application/json"].schema;

describe("a change that breaks clients ends with 1 and is named", () => {
  test.each<[string, Contract, RegExp]>(
    drawn(
      [
        ["a path is gone", changed((_, whole) => Reflect.deleteProperty(whole.paths, "/v1/songs")), /\/v1\/songs[\s\S]*api-path-removed/],
        ["a method is gone", changed((songs) => Reflect.deleteProperty(songs, "get")), /GET \/v1\/songs/],
        ["a field has to be sent", changed((songs) => bodyOf(songs).required.push("mood")), /mood/],
        [
          "a new field has to be sent",
          changed((songs) => (Object.assign(bodyOf(songs).properties, { key: text }), bodyOf(songs).required.push("key"))),
          /key/,
        ],
        ["a field can't be sent any more", changed((songs) => Reflect.deleteProperty(bodyOf(songs).properties, "mood")), /mood/],
        [
          "a value can't be sent any more",
          changed((songs) => (bodyOf(songs).properties["mood"] = { type: "string", enum: ["calm"] })),
          /loud/,
        ],
        ["a parameter is gone", changed((songs) => (songs.get.parameters = [])), /limit/],
        ["a bound is tighter", changed((songs) => (songs.get.parameters[0]!.schema.maximum = 50)), /limit/],
        [
          "a value of an answer is gone",
          changed((songs) => (answerOf(songs).properties["status"] = { type: "string", enum: ["queued"] })),
          /done/,
        ],
        ["a field of an answer may be missing", changed((songs) => (answerOf(songs).required = ["id"])), /status/],
        ["an optional field of an answer is gone", changed((songs) => Reflect.deleteProperty(answerOf(songs).properties, "note")), /note/],
        ["a field of an answer is of another type", changed((songs) => (answerOf(songs).properties["id"] = { type: "integer" })), /id/],
        ["a header of an answer is gone", changed((songs) => (songs.post.responses[200].headers = {} as never)), /x-cost/],
        ["an error code is gone", changed((songs) => (songs.post.responses[400] = error("invalid_title"))), /invalid_mood/],
        ["an error code has another name", changed((songs) => (songs.post.responses[402] = error("no_credits"))), /insufficient_credits/],
        ["an error's status is gone", changed((songs) => Reflect.deleteProperty(songs.post.responses, 402)), /402/],
      ],
      4,
    ),
  )("%s", (_, after, named) => {
    const { status, output } = check(released(contract(), after));
    expect([status, output]).toEqual([1, expect.stringMatching(named)]);
    expect(output).toContain("the contract breaks clients of v1.0.0");
  });
});

describe("a change that breaks nobody ends with 0", () => {
  test.each<[string, Contract]>(
    drawn(
      [
        ["nothing", contract()],
        ["a new field may be sent", changed((songs) => Object.assign(bodyOf(songs).properties, { key: text }))],
        ["a field need not be sent any more", changed((songs) => (bodyOf(songs).required = []))],
        [
          "a value more may be sent",
          changed((songs) => (bodyOf(songs).properties["mood"] = { type: "string", enum: ["calm", "loud", "odd"] })),
        ],
        ["a new operation", changed((_, whole) => Object.assign(whole.paths, { "/v1/albums": { get: whole.paths["/v1/songs"].get } }))],
        ["a new field in an answer", changed((songs) => Object.assign(answerOf(songs).properties, { length_s: { type: "number" } }))],
        [
          "a new status of a job",
          changed((songs) => (answerOf(songs).properties["status"] = { type: "string", enum: ["queued", "done", "failed"] })),
        ],
        ["a new error code", changed((songs) => (songs.post.responses[400] = error("invalid_title", "invalid_mood", "invalid_key")))],
        ["a new status of errors", changed((songs) => Object.assign(songs.post.responses, { 429: error("rate_limit_exceeded") }))],
        ["other words", changed((songs) => (songs.post.responses[200].description = "What was made."))],
      ],
      4,
    ),
  )("%s", (_, after) => {
    const { status, output } = check(released(contract(), after));
    expect([status, output]).toEqual([0, expect.stringContaining("nothing breaks a client of v1.0.0")]);
  });
});

describe("our own contract", () => {
  oneInThree()("is compared whole: an error code less in one operation is found", () => {
    const less = ours.replace(/"enum": \[\s*"insufficient_credits",/, '"enum": [');
    expect(less).not.toBe(ours);
    expect(check(released(ours, less))).toMatchObject({ status: 1, output: expect.stringContaining("insufficient_credits") });
  });
});

describe("the changelog", () => {
  const unlisted = (after: object) => {
    const folder = released(contract(), after);
    write(folder, { changelog: "# Changes\n" });
    return folder;
  };

  test("a change that it doesn't tell ends with 1", () => {
    const { status, output } = check(
      unlisted(changed((songs) => Object.assign(answerOf(songs).properties, { length_s: { type: "number" } }))),
    );
    expect([status, output]).toEqual([1, expect.stringContaining("spec/CHANGELOG.md doesn't say how")]);
  });

  test("what changes no call need not stand there", () => {
    expect(check(unlisted(changed((songs) => (songs.post.responses[200].description = "What was made.")))).status).toBe(0);
  });
});

describe("which release", () => {
  const without = changed((songs) => Reflect.deleteProperty(songs, "get"));

  test("none yet: says so and passes", () => {
    const folder = newRepository();
    commit(folder, { contract: contract(), changelog: "" });
    expect(check(folder)).toEqual({ status: 0, output: "no release tag yet: nothing to compare with\n" });
  });

  test("a tag that is no release, or has no contract, is none", () => {
    const folder = newRepository();
    commit(folder, { changelog: "" }, "v0.1.0");
    commit(folder, { contract: contract() }, "verified");
    expect(check(folder)).toEqual({ status: 0, output: "v0.1.0 has no generated/openapi.json: nothing to compare with\n" });
  });

  test("the last one before this commit, though another has a higher number", () => {
    const folder = newRepository();
    commit(folder, { contract: contract(), changelog: "1" }, "v1.0.0");
    commit(folder, { contract: without, changelog: "2" }, "v1.1.0");
    git(folder, "checkout", "-b", "next");
    commit(folder, { contract: contract(), changelog: "3" }, "v2.0.0");
    git(folder, "checkout", "main");
    expect(check(folder)).toMatchObject({ status: 0, output: expect.stringContaining("client of v1.1.0") });
  });

  describe("a shallow clone without tags", () => {
    function cloned(origin: string): string {
      const folder = newFolder();
      git(folder, "clone", "--depth=1", `file://${origin}`, ".");
      return folder;
    }

    test("asks its origin for them, and compares with the highest, which is no candidate of a later one", () => {
      const origin = newRepository();
      commit(origin, { contract: without, changelog: "1" }, "v1.9.0");
      commit(origin, { contract: contract(), changelog: "2" }, "v1.10.0");
      commit(origin, { contract: without, changelog: "3" });
      expect(check(cloned(origin))).toMatchObject({ status: 1, output: expect.stringContaining("clients of v1.10.0") });
      git(origin, "tag", "v1.10.0-rc.1", "v1.9.0");
      expect(check(cloned(origin))).toMatchObject({ status: 1, output: expect.stringContaining("clients of v1.10.0") });
    });

    test("passes where there is none, and says so where the origin can't be asked", () => {
      const origin = newRepository();
      commit(origin, { contract: contract(), changelog: "1" });
      commit(origin, { changelog: "2" });
      const clone = cloned(origin);
      expect(check(clone)).toEqual({ status: 0, output: "no release tag yet: nothing to compare with\n" });
      rmSync(origin, { recursive: true });
      const { status, output } = check(clone);
      expect([status, output]).toEqual([0, expect.stringContaining("its origin can't be asked for the tags")]);
    });
  });
});
