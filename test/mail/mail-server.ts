// A mail server of a test: keeps each message as it came over the socket, and reads its parts.
import { text } from "node:stream/consumers";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

export interface Received {
  from: string;
  to: string[];
  raw: string;
}

export interface MailServer {
  port: number;
  received: Received[];
  close(): Promise<void>;
}

export async function startMailServer(options: SMTPServerOptions & { port?: number } = {}): Promise<MailServer> {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    closeTimeout: 100,
    async onData(stream, session, done) {
      const raw = await text(stream);
      const from = session.envelope.mailFrom;
      received.push({ from: from === false ? "" : from.address, to: session.envelope.rcptTo.map(({ address }) => address), raw });
      done();
    },
    ...options,
  });
  server.on("error", () => undefined); // of connections that a test cuts
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { port: (server.server.address() as { port: number }).port, received, close };
}

export const headersOf = ({ raw }: Pick<Received, "raw">): string[] =>
  raw
    .slice(0, raw.indexOf("\r\n\r\n"))
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n");

/** The value of a header that stands once. */
export const headerOf = (message: Pick<Received, "raw">, name: string): string | undefined =>
  headersOf(message)
    .find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}: `))
    ?.slice(name.length + 2);

/** What a mail program shows of a message that says the same in several forms, by their type. */
export function formsOf(message: Pick<Received, "raw">): Record<string, string> {
  const boundary = /^multipart\/alternative; *boundary="(.+)"$/.exec(headerOf(message, "Content-Type") ?? "")?.[1];
  if (boundary === undefined) return {};
  const parts = message.raw.split(`--${boundary}`).slice(1, -1);
  return Object.fromEntries(
    parts.map((part) => {
      const [raw, body] = [part.trimStart(), part.slice(part.indexOf("\r\n\r\n") + 4)];
      const type = headerOf({ raw }, "Content-Type")!.split(";")[0]!;
      return [type, decoded(body, headerOf({ raw }, "Content-Transfer-Encoding")).replaceAll("\r\n", "\n")];
    }),
  );
}

function decoded(body: string, encoding: string | undefined): string {
  if (encoding === "7bit") return body;
  if (encoding === "base64") return Buffer.from(body, "base64").toString();
  if (encoding !== "quoted-printable") throw new Error(`a part is encoded as ${encoding}`);
  const bytes = body.replace(/=\r\n/g, "").replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}
