// `svc simulate`: the simulator alone, until it is stopped.
import { startSimulator } from "../simulator/simulator.ts";
import { type Input, UsageError } from "./command.ts";

/** Beside the gateway's own port. */
const portDefault = 8788;

export async function simulate({ options, json }: Input): Promise<null> {
  const port = options.port === undefined ? portDefault : Number(options.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new UsageError("--port must be a whole number from 0 to 65535");
  const asked = Promise.withResolvers<void>();
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => asked.resolve());
  const simulator = await startSimulator({ port });
  process.stdout.write(json ? `${JSON.stringify({ url: simulator.url })}\n` : `simulator ready ${simulator.url}\n`);
  await asked.promise;
  await simulator.close();
  return null;
}
