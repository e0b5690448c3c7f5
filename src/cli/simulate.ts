// `svc simulate`: runs the simulator on its own until it is stopped.
import { startSimulator } from "../simulator/simulator.ts";
import { readWholeNumber } from "./arguments.ts";
import type { Input } from "./command.ts";

/** Next to the gateway's own port. */
const portDefault = 8788;

export async function simulate({ options, json }: Input): Promise<null> {
  const port = typeof options.port === "string" ? readWholeNumber(options.port, "--port", 0, 65_535) : portDefault;
  const asked = Promise.withResolvers<void>();
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => asked.resolve());
  const simulator = await startSimulator({ port });
  process.stdout.write(json ? `${JSON.stringify({ url: simulator.url })}\n` : `simulator ready ${simulator.url}\n`);
  await asked.promise;
  await simulator.close();
  return null;
}
