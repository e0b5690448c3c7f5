// The reference: a bare node:http server that passes everything through undici's dispatch. No parsing, no accounting.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Dispatcher, Pool } from "undici";

const upstream = new URL(process.argv[2] as string);
const pool = new Pool(upstream.origin, { connections: 1024 });
const prefix = upstream.pathname;

const server = createServer((req, res) => {
  const { "content-type": type, "content-length": length } = req.headers;
  pool.dispatch(
    {
      method: req.method as Dispatcher.HttpMethod,
      path: prefix + (req.url as string),
      headers: length === undefined ? {} : { "content-type": type as string, "content-length": length },
      body: length === undefined ? null : req,
    },
    {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, status, headers) => void res.writeHead(status, headers as Record<string, string>),
      onResponseData: (_controller, chunk) => void res.write(chunk),
      onResponseEnd: () => void res.end(),
      onResponseError: () => void res.destroy(),
    },
  );
});
server.keepAliveTimeout = 60_000;
server.listen({ port: 0, host: "127.0.0.1", backlog: 2048 }, () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
