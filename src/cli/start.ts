// `svc start`: runs the gateway until it is stopped.
import { start as startAll } from "../start/start.ts";
import type { Input } from "./command.ts";

export async function start({ config }: Input): Promise<null> {
  await startAll(config.environment);
  return null;
}
