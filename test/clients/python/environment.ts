// Where the Python clients are installed, and whether they are. install.ts fills the folder; the tests only read it.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { excuseOf, hasPython, isInstalled, type PrivatePython } from "../../support/private-python.ts";

export { hasPython } from "../../support/private-python.ts";

const folder = fileURLToPath(new URL("../../../.python-clients", import.meta.url));
export const interpreter = `${folder}/bin/python`;
/** Packages that take the place of others: put it on PYTHONPATH. */
export const anthropic2 = `${folder}/anthropic-2`;
/** A server that speaks S3, for test/media: Python too, and installed here so that there is one such step. */
export const s3Server = `${folder}/s3-server`;
/** What generates the Python SDK, and what the SDK runs on. */
export const pythonSdkTools = `${folder}/python-sdk`;
/** Frameworks over OpenAI's dialect, with the newer openai that they need. */
export const frameworks = `${folder}/frameworks`;

const pins = (name: string) => fileURLToPath(new URL(name, import.meta.url));
export const clients: PrivatePython = {
  folder,
  pins: [
    { file: pins("requirements.txt") },
    { file: pins("requirements-anthropic-2.txt"), target: anthropic2 },
    { file: pins("requirements-s3-server.txt"), target: s3Server },
    { file: pins("requirements-python-sdk.txt"), target: pythonSdkTools },
    { file: pins("requirements-frameworks.txt"), target: frameworks },
  ],
};
export const excuse = excuseOf(clients);

/** Null where the tests can run; else why not. */
export function whyNot(): string | null {
  if (isInstalled(clients)) return null;
  if (existsSync(excuse)) return readFileSync(excuse, "utf8").trim();
  return hasPython() ? "the Python clients of these pins are not installed: npm run clients:python" : "there is no python3";
}
