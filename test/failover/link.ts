// The cable of a machine: what reaches one of its ports, until it is cut. Cut, connections stay and carry nothing more, as behind a switch
// that failed; new ones are never answered.
import { connect, createServer, type Server, type Socket } from "node:net";

export interface Link {
  /** Every connection falls silent, also those that are made meanwhile. */
  cut(): void;
  /** What was silent has lost bytes: it breaks. New connections are carried. */
  restore(): void;
  /** Of connections that began with these words nothing more comes back: as where the machine's answers are late by seconds. */
  mute(words: string): void;
  /** A connection on which this is sent breaks; null: none does. */
  refuse(words: string | null): void;
  close(): Promise<void>;
}

export interface End {
  host: string;
  port: number;
}

/** From each first end to its second one, all cut together. */
export async function openLink(wires: readonly (readonly [End, End])[]): Promise<Link> {
  const sockets = new Set<Socket>();
  const begun = new Map<Socket, string>();
  let muted: string | null = null;
  let silent = false;
  let refused: string | null = null;
  const servers: Server[] = [];
  for (const [near, far] of wires) {
    const server = createServer({ noDelay: true }, (socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
      if (silent) return;
      carry(socket, connect({ ...far, noDelay: true }));
    });
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(near.port, near.host, resolve));
    servers.push(server);
  }

  function carry(one: Socket, other: Socket): void {
    sockets.add(other);
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      from.on("data", (bytes: Buffer) => {
        if (refused !== null && bytes.includes(refused)) return void from.destroy();
        // Behind a question for TLS, which is a packet of its own.
        if (from === one && (begun.get(one)?.length ?? 0) < 300) begun.set(one, (begun.get(one) ?? "") + bytes.toString("latin1"));
        const mute = muted !== null && from === other && begun.get(one)?.includes(muted) === true;
        if (!silent && !mute && !to.write(bytes)) from.pause();
      });
      to.on("drain", () => from.resume());
      from.on("error", () => undefined);
      from.on("end", () => silent || to.end());
      from.on("close", () => {
        sockets.delete(from);
        begun.delete(from);
        if (!silent) to.destroy();
      });
    }
  }

  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    mute: (words) => void (muted = words),
    refuse: (words) => void (refused = words),
    cut: () => void (silent = true),
    restore() {
      breakAll();
      silent = false;
      muted = null;
    },
    async close() {
      silent = false;
      breakAll();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
