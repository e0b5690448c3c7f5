// A port for a server that is told its own, or that comes back at the same one, or for none. Below those that the system gives to sockets which ask for
// any: such a socket, of a test beside this one, would take it between two starts.
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

const [first, last] = [12_000, 32_000];

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, last);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
