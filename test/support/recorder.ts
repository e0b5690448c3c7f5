// Stands before the simulator, which keeps its last calls only, and remembers every work that was asked for: job and path. Under its own
// Host the simulator answers with its addresses.
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface Recorder {
  url: string;
  /** Of each submit: the job's id and the path. */
  asked: string[];
  close(): void;
}

export async function startRecorder(port: number): Promise<Recorder> {
  const asked: string[] = [];
  const server = createServer((incoming, reply) => {
    const job = incoming.headers["idempotency-key"];
    if (incoming.method === "POST" && job !== undefined) asked.push(`${String(job)} ${incoming.url}`);
    const onward = request({ port, method: incoming.method, path: incoming.url, headers: incoming.headers }, (answer) => {
      reply.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(reply);
    });
    onward.on("error", () => reply.destroy());
    incoming.on("error", () => onward.destroy());
    reply.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
