// npm run sdk:python [folder]: the Python SDK from generated/openapi.json by openapi-python-client, in `dist/python-sdk` where no folder is
// named. The same contract gives the same files; nothing of them is edited. Needs `npm run clients:python`, which installs the generator.
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { interpreter, pythonSdkTools, whyNot } from "../../test/clients/python/environment.ts";
import type { Document } from "../generate/document.ts";
import { pythonDocument } from "./document.ts";
import { streamsModule } from "./streams.ts";

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Writes the SDK into `folder`, replacing it. */
export async function buildPythonSdk(folder: string): Promise<void> {
  const reason = whyNot();
  if (reason !== null) throw new Error(reason);
  const contract = JSON.parse(readFileSync(here("../../generated/openapi.json"), "utf8")) as Document;
  const scratch = mkdtempSync(join(tmpdir(), "svc-python-sdk-"));
  try {
    const document = join(scratch, "openapi.json");
    writeFileSync(document, JSON.stringify(pythonDocument(contract)));
    rmSync(folder, { recursive: true, force: true });
    const options = [
      "--path",
      document,
      "--output-path",
      folder,
      "--config",
      here("config.yaml"),
      "--custom-template-path",
      here("templates"),
    ];
    await promisify(execFile)(
      interpreter,
      ["-B", "-m", "openapi_python_client", "generate", "--meta", "uv", "--fail-on-warning", ...options],
      {
        // The generator's hooks find Python and ruff by PATH.
        env: {
          ...process.env,
          PYTHONPATH: pythonSdkTools,
          PYTHONDONTWRITEBYTECODE: "1",
          PATH: [join(pythonSdkTools, "bin"), dirname(interpreter), process.env["PATH"]].join(delimiter),
        },
      },
    );
    cpSync(here("streaming.py"), join(folder, "svc_sdk/streaming.py"));
    writeFileSync(join(folder, "svc_sdk/streams.py"), streamsModule(contract));
    cpSync(here("README.md"), join(folder, "README.md"));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? "dist/python-sdk");
  await buildPythonSdk(folder);
  process.stdout.write(`${folder}\n`);
}
