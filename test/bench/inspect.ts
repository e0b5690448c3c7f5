// Talks to the inspector of a process that was started with --inspect: one command, one answer.
import { readFileSync } from "node:fs";

export interface Inspector {
  call<T>(method: string, params?: object): Promise<T>;
  close(): void;
}

interface Answer {
  id?: number;
  result?: unknown;
  error?: { message: string };
}

/** `logFile`: where the process wrote its address. */
export async function openInspector(logFile: string): Promise<Inspector> {
  const address = /Debugger listening on (ws:\S+)/.exec(readFileSync(logFile, "utf8"))?.[1];
  if (address === undefined) throw new Error(`${logFile} names no inspector`);
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`${address} does not answer`));
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  let last = 0;
  socket.onmessage = ({ data }) => {
    const answer = JSON.parse(data as string) as Answer;
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  };
  return {
    call<T>(method: string, params = {}) {
      const id = ++last;
      socket.send(JSON.stringify({ id, method, params }));
      return new Promise<T>((resolve, reject) => {
        waiting.set(id, ({ result, error }) => {
          waiting.delete(id);
          if (error) reject(new Error(`${method}: ${error.message}`));
          else resolve(result as T);
        });
      });
    },
    close: () => socket.close(),
  };
}
