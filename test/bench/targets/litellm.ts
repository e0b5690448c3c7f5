// LiteLLM's proxy as PyPI gives it: one worker, a master key, no database, logging of errors alone (its page on production).
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { targetCore } from "../ground.ts";
import { startChild } from "../processes.ts";
import { installPeer, run } from "./install.ts";
import { freePort } from "../../support/free-port.ts";
import { answers } from "./nginx.ts";
import { modelIds } from "./ours.ts";
import { LeftOut, type Target } from "./types.ts";
import { unbilled } from "./unbilled.ts";

/** The first that the index can install. */
const wanted = ["litellm[proxy]==1.109.1", "litellm[proxy]"];
const key = "sk-bench";
/** It loads for a long time. */
const timeoutMs = 180_000;

export const litellm: Target = {
  name: "litellm",
  title: "LiteLLM proxy",
  async start({ folder, newLog, mockUrl }) {
    const program = installPeer("litellm", "env/bin/litellm", install);
    const port = await freePort();
    const config = join(folder, "litellm.yaml");
    writeFileSync(config, configuration(mockUrl));
    const args = ["--config", config, "--host", "127.0.0.1", "--port", String(port), "--num_workers", "1"];
    const env = { ...process.env, LITELLM_LOG: "ERROR", LITELLM_MODE: "PRODUCTION", LITELLM_LOCAL_MODEL_COST_MAP: "True" };
    const child = await startChild(args, null, { core: targetCore, command: program, logFile: newLog("litellm"), env });
    const url = `http://127.0.0.1:${port}`;
    await answers(`${url}/health/liveliness`, timeoutMs);
    return unbilled("litellm", url, child, { keys: [key] });
  },
};

function install(folder: string): void {
  run(folder, "python3", ["-m", "venv", "env"]);
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
  let reason: unknown;
  for (const one of wanted) {
    try {
      return run(folder, join(folder, "env/bin/python"), [...pip, one]);
    } catch (error) {
      if (!(error instanceof LeftOut)) throw error;
      reason = error;
    }
  }
  throw reason;
}

function configuration(mockUrl: string): string {
  const models = modelIds.map((id) => ({
    model_name: id,
    litellm_params: { model: `openai/${id}`, api_base: `${mockUrl}/litellm/v1`, api_key: "sk-up" },
  }));
  return JSON.stringify({ model_list: models, litellm_settings: { set_verbose: false }, general_settings: { master_key: key } });
}
