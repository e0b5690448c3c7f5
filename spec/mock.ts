// npm run mock [-- --port P]: the contract's own examples as a server, on loopback, by Prism. Needs no database and no key.
import { parseArgs } from "node:util";
import { startFront } from "./mock/front.ts";
import { startPrism } from "./mock/prism.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "4010" } } });
const prism = await startPrism();
const url = await startFront(prism.url, Number(values.port));

console.log(`mock of ${prism.operations} operations on ${url}`);
console.log("any key will do; `Prefer: code=402, example=insufficient_credits` asks for that answer");
