// Prism's mock server of generated/openapi.json, in this process, on a port of its own that nobody is told of.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

interface Operation {
  security: unknown[][];
  responses: { code: string; contents?: { examples?: { key: string }[] }[] }[];
}
interface Server {
  listen(port: number, host: string): Promise<string>;
  prism: { request(input: unknown, operations: Operation[], config: { mock: { code?: number } }): unknown };
}

/** The parts of Prism that its command line is made of; they come with it, among the packages of test/, and are found from there. */
const partOfPrism = createRequire(createRequire(new URL("../../test/package.json", import.meta.url)).resolve("@stoplight/prism-cli"));
const { getHttpOperationsFromSpec } = partOfPrism("@stoplight/prism-http") as {
  getHttpOperationsFromSpec(file: string): Promise<Operation[]>;
};
const { createLogger } = partOfPrism("@stoplight/prism-core") as { createLogger(name: string, options: { level: string }): unknown };
const { createServer } = partOfPrism("@stoplight/prism-http-server") as { createServer(operations: Operation[], options: object): Server };

const contract = fileURLToPath(new URL("../../generated/openapi.json", import.meta.url));

/** As `prism mock` does it: requests and credentials are checked, answers are examples. */
export async function startPrism(): Promise<{ url: string; operations: number }> {
  const operations = await getHttpOperationsFromSpec(contract);
  const server = createServer(operations, {
    cors: true,
    config: { isProxy: false, validateRequest: true, validateResponse: true, checkSecurity: true, errors: false, mock: { dynamic: false } },
    components: { logger: createLogger("mock", { level: "silent" }) },
  });
  refuseAsTheGateway(server, operations);
  return { url: await server.listen(0, "127.0.0.1"), operations: operations.length };
}

/**
 * Prism answers a faulty request with the first example of 422 where there is a 422; here that is a model's refusal, and
 * 400 is the caller's fault. And a public operation is refused to whoever sends a key.
 */
function refuseAsTheGateway({ prism }: Server, operations: Operation[]): void {
  const faultFirst = ({ key }: { key: string }) => Number(key !== "invalid_parameter" && key !== "invalid_request");
  for (const operation of operations) {
    if (operation.security.some((schemes) => schemes.length === 0)) operation.security = [];
    const refused = operation.responses.filter(({ code }) => code === "400").flatMap(({ contents }) => contents ?? []);
    for (const { examples } of refused) examples?.sort((a, b) => faultFirst(a) - faultFirst(b));
  }
  const without422 = operations.map((one) => ({ ...one, responses: one.responses.filter(({ code }) => code !== "422") }));
  const ask = prism.request;
  prism.request = (input, _, config) => ask(input, config.mock.code === 422 ? operations : without422, config);
}
