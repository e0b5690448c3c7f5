// Talks to the inspector of a process that was started with --inspect: one command, one answer.
import { readFileSync } from "node:fs";

export interface Inspector {
  call<T>(method: string, params?: object): Promise<T>;
  close(): void;
}

interface Message {
  id?: number;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { message: string };
}

/** `text`: what the process wrote when it started. */
export function inspectorIn(text: string): string | undefined {
  return /Debugger listening on (ws:\S+)/.exec(text)?.[1];
}

export async function openInspectorOf(logFile: string): Promise<Inspector> {
  const address = inspectorIn(readFileSync(logFile, "utf8"));
  if (address === undefined) throw new Error(`${logFile} names no inspector`);
  return openInspector(address);
}

/** `told`: what it says without being asked. */
export async function openInspector(address: string, onEvent?: (method: string, params: unknown) => void): Promise<Inspector> {
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`${address} does not answer`));
  });
  const waiting = new Map<number, (answer: Message) => void>();
  let last = 0;
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data as string) as Message;
    if (message.method !== undefined) onEvent?.(message.method, message.params);
    if (message.id === undefined) return;
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  };
  socket.onclose = () => waiting.forEach((answer) => answer({ error: { message: "the process has ended" } }));
  return {
    call<T>(method: string, params = {}) {
      const id = ++last;
      socket.send(JSON.stringify({ id, method, params }));
      return new Promise<T>((resolve, reject) => {
        waiting.set(id, ({ result, error }) => {
          if (error) reject(new Error(`${method}: ${error.message}`));
          else resolve(result as T);
        });
      });
    },
    close: () => socket.close(),
  };
}
