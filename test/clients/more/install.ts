// Installs what environment.ts names, each part for itself: one that can't be had is said, and leaves the others be. A part stands until its
// pins change; then it is removed before it is made anew, so that no test runs what an older pin made.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { interpreter } from "../python/environment.ts";
import { aider, goProgram, javaFolder, more, npmPackages, pins, pythonLibraries, rustProgram } from "./environment.ts";

interface Part {
  name: string;
  /** By which it is known to be out of date. */
  files: readonly string[];
  /** What tests use of it. */
  made: string;
  install(): void;
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, error } = spawnSync(command, args, { cwd, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Error(error?.message ?? `${command} ended with ${String(status)}`);
}

/** All pins are exact, dependencies as well. */
function pip(target: string, requirements: string): void {
  run(
    interpreter,
    ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", target, "-r", requirements],
    pins,
  );
}

const parts: readonly Part[] = [
  {
    name: "agents and frameworks of npm",
    files: ["npm/package.json", "npm/package-lock.json"],
    made: npmPackages,
    install() {
      const folder = join(more, "npm");
      mkdirSync(folder, { recursive: true });
      for (const name of ["package.json", "package-lock.json"]) cpSync(join(pins, "npm", name), join(folder, name));
      // Not ci: npm 11 refuses a lock file that names only one platform's programs.
      run("npm", ["install", "--no-audit", "--no-fund"], folder);
    },
  },
  {
    name: "Go's clients",
    files: ["go/go.mod", "go/go.sum", "go/main.go", "go/openai.go", "go/anthropic.go", "go/community.go"],
    made: goProgram,
    install: () => run("go", ["build", "-o", goProgram, "."], join(pins, "go")),
  },
  {
    name: "Java's clients",
    files: ["java/pom.xml", "java/Main.java", "java/OpenAi.java", "java/Anthropic.java"],
    made: javaFolder,
    install() {
      const from = join(pins, "java");
      const packages = join(javaFolder, "packages");
      const copy = "org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies";
      run("mvn", ["--quiet", "--batch-mode", copy, `-DoutputDirectory=${packages}`], from);
      const sources = ["Main.java", "OpenAi.java", "Anthropic.java"];
      run("javac", ["-d", join(javaFolder, "classes"), "-cp", join(packages, "*"), ...sources], from);
    },
  },
  {
    name: "Rust's client",
    files: ["rust/Cargo.toml", "rust/Cargo.lock", "rust/src/main.rs"],
    made: rustProgram,
    install: () => run("cargo", ["build", "--quiet", "--locked", "--release", "--target-dir", join(more, "rust")], join(pins, "rust")),
  },
  {
    name: "Python's frameworks",
    files: ["requirements-libraries.txt"],
    made: pythonLibraries,
    install: () => pip(pythonLibraries, "requirements-libraries.txt"),
  },
  { name: "aider", files: ["requirements-aider.txt"], made: aider, install: () => pip(aider, "requirements-aider.txt") },
];

mkdirSync(more, { recursive: true });
for (const { name, files, made, install } of parts) {
  const stamp = join(more, `${files[0]!.replace("/", "-")}.installed`);
  const wanted = files.map((file) => readFileSync(join(pins, file), "utf8")).join("");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) continue;
  for (const old of [stamp, made]) rmSync(old, { recursive: true, force: true });
  try {
    install();
    writeFileSync(stamp, wanted);
  } catch (error) {
    console.log(`Without ${name}, whose rows of the matrix stay as they were: ${String(error)}`);
  }
}
