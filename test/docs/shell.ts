// One bash that commands are typed into one after the other: a later one knows the variables of those before it.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { isEveryday, programFor } from "../support/bundle.ts";

export interface ShellSession {
  /** Resolves to what the command prints; an error where it ends the shell. */
  run(command: string): Promise<string>;
  close(): void;
}

export interface ShellPlace {
  folder: string;
  environment: Record<string, string>;
  /** Typed before the first command. */
  opening?: string;
}

/** What its commands complain of is not read, unless `opening` sends it where the rest goes. */
export function openShell({ folder, environment, opening }: ShellPlace): ShellSession {
  const shell = spawn("bash", { cwd: folder, env: environment, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  let printed = "";
  let ended = false;
  let changed = () => {};
  shell.stdout.on("data", (piece: Buffer) => {
    printed += piece.toString();
    changed();
  });
  shell.stderr.resume();
  shell.once("close", () => {
    ended = true;
    changed();
  });
  shell.stdin.on("error", () => undefined); // it has ended: run() says so
  shell.stdin.write(`${isEveryday() ? quickSvc() : quickNpx(folder)}\n`);
  if (opening !== undefined) shell.stdin.write(`${opening}\n`);
  let count = 0;

  return {
    async run(command) {
      const end = `end of command ${++count}`;
      printed = "";
      // The line of `echo` is written at once with the command: `read` of a command takes the line after it.
      shell.stdin.write(`${command}\necho; echo ${end}\n`);
      while (!printed.endsWith(`\n${end}\n`)) {
        if (ended) throw new Error(`the shell ended: ${printed}`);
        await new Promise<void>((resolve) => (changed = resolve));
      }
      return printed.slice(0, -`\n${end}\n`.length);
    },
    close() {
      if (!ended) process.kill(-shell.pid!, "SIGTERM"); // with what it has left running
    },
  };
}

/** npm takes a second of a processor to find a command that stands beside it: it does so once a shell, then what it has found is run. */
function quickNpx(folder: string): string {
  const found = join(folder, "node_modules/.bin/svc");
  return `npx() {
    if [ "$1" = svc ] && [ -n "\${NPX_FOUND_SVC:-}" ]; then shift; ${found} "$@"; return; fi
    if [ "$1" = svc ]; then export NPX_FOUND_SVC=yes; fi
    command npx "$@"
  }; export -f npx`;
}

/** Without npm, and from the bundle. */
function quickSvc(): string {
  const { path, compileCache } = programFor("svc");
  const svc = `NODE_COMPILE_CACHE=${compileCache} ${process.execPath} ${path}`;
  return `npx() { if [ "$1" = svc ]; then shift; ${svc} "$@"; else command npx "$@"; fi; }; export -f npx`;
}
