// A wire between a gateway and Postgres that can be cut or fall silent, as a network or a failing machine does.
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface DatabaseProxy {
  /** The same database, over this wire. */
  url: string;
  /** Every connection breaks, new ones are refused. */
  cut(): void;
  /** Connections stay and carry nothing; new ones are taken and carry nothing. */
  silence(): void;
  restore(): void;
  /** New connections lead there, those that are open stay: as when a name, or a virtual address, moves. */
  moveTo(databaseUrl: string): void;
  close(): Promise<void>;
}

/** `refuses`: a connection whose first packet says this is broken off, as a transaction pooler does with settings that it doesn't know. */
export async function openDatabaseProxy(databaseUrl: string, { refuses }: { refuses?: string } = {}): Promise<DatabaseProxy> {
  let dial = dialler(databaseUrl);
  let state: "open" | "cut" | "silent" = "open";
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    if (state === "cut") return near.resetAndDestroy();
    const far = dial();
    if (refuses !== undefined) near.once("data", (first) => first.includes(refuses) && near.resetAndDestroy());
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (chunk) => state === "silent" || to.write(chunk)); // what is said into silence is lost
      from.on("error", () => undefined);
      from.on("close", () => {
        sockets.delete(from);
        if (state === "silent" && from === far) return; // not even the end is heard
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const reset = () => {
    for (const socket of sockets) socket.destroy();
  };
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  url.searchParams.delete("host");
  return {
    url: url.href,
    cut() {
      state = "cut";
      reset();
    },
    silence: () => void (state = "silent"),
    restore() {
      reset(); // what was silent has lost bytes and can't go on
      state = "open";
    },
    moveTo: (other) => void (dial = dialler(other)),
    async close() {
      reset();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function dialler(databaseUrl: string): () => Socket {
  const target = new URL(databaseUrl);
  const socketFolder = target.searchParams.get("host");
  const port = target.port === "" ? 5432 : Number(target.port);
  return () => (socketFolder?.startsWith("/") ? connect(`${socketFolder}/.s.PGSQL.${port}`) : connect(port, target.hostname));
}
