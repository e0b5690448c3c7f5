// A gateway seen from inside through its inspector (`node --inspect=127.0.0.1:0`): what its heap still holds after a collection.
// Nothing of it is in the product, and no domain is enabled: V8 would then keep what is logged.
import { openInspector } from "./inspector.ts";

export interface Memory {
  /** Bytes after a forced collection, compiled code left out: V8 goes on compiling for hours, and no call leaves it behind. */
  heap: number;
  /** Objects of C++ that scripts hold. */
  external: number;
  /** Part of `external`. */
  arrayBuffers: number;
  heapCommitted: number;
  /** What V8 itself has from malloc. */
  malloced: number;
  resident: number;
}

export interface Insight {
  memory(): Promise<Memory>;
  /** What an expression is in the gateway; plain data. */
  evaluate<T>(expression: string): Promise<T>;
  /** How many live objects have the prototype that the expression names. */
  count(prototype: string): Promise<number>;
  /** A heap snapshot in V8's format. */
  snapshot(): Promise<string>;
  close(): void;
}

interface Remote {
  type: string;
  value?: unknown;
  objectId?: string;
}

export async function openInsight(address: string): Promise<Insight> {
  let pieces: string[] = [];
  const { call, close } = await openInspector(address, (method, params) => {
    if (method === "HeapProfiler.addHeapSnapshotChunk") pieces.push((params as { chunk: string }).chunk);
  });
  const resultOf = async (params: object, method = "Runtime.evaluate") => {
    const answer = await call<{ result: Remote; exceptionDetails?: { text: string } }>(method, params);
    if (answer.exceptionDetails) throw new Error(`${JSON.stringify(params)}: ${answer.exceptionDetails.text}`);
    return answer.result;
  };
  const evaluate = async <T>(expression: string) => (await resultOf({ expression, returnByValue: true })).value as T;

  return {
    evaluate,
    async memory() {
      // Twice: what the first one frees of C++ lets the second one free more.
      for (let turn = 0; turn < 2; turn++) await call("HeapProfiler.collectGarbage");
      return evaluate<Memory>(`(() => {
        const { heapUsed, external, arrayBuffers, heapTotal, rss } = process.memoryUsage();
        const v8 = process.getBuiltinModule("v8");
        const malloced = v8.getHeapStatistics().malloced_memory;
        const compiled = v8.getHeapSpaceStatistics().filter(({ space_name }) => /^(code|trusted)_/.test(space_name));
        const heap = compiled.reduce((rest, { space_used_size }) => rest - space_used_size, heapUsed);
        return { heap, external, arrayBuffers, heapCommitted: heapTotal, malloced, resident: rss };
      })()`);
    },
    async count(prototype) {
      const objectGroup = "soak";
      const { objectId } = await resultOf({ expression: prototype, objectGroup });
      const { objects } = await call<{ objects: Remote }>("Runtime.queryObjects", { prototypeObjectId: objectId, objectGroup });
      const asked = {
        objectId: objects.objectId,
        functionDeclaration: "function () { return this.filter((one) => one._destroyed !== true).length; }",
      };
      const { value } = await resultOf({ ...asked, returnByValue: true }, "Runtime.callFunctionOn");
      await call("Runtime.releaseObjectGroup", { objectGroup });
      return value as number;
    },
    async snapshot() {
      pieces = [];
      await call("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
      const text = pieces.join("");
      pieces = [];
      return text;
    },
    close,
  };
}

export type Sums = Map<string, { count: number; bytes: number }>;

/** Bytes and objects of a snapshot by kind and constructor, dearest first. Its nodes are runs of numbers whose meaning `meta` tells. */
export function sumByConstructor(text: string): Sums {
  const { snapshot, nodes, strings } = JSON.parse(text) as {
    snapshot: { meta: { node_fields: string[]; node_types: [string[]] } };
    nodes: number[];
    strings: string[];
  };
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, name, size] = ["type", "name", "self_size"].map((field) => fields.indexOf(field)) as [number, number, number];
  const sums: Sums = new Map();
  for (let at = 0; at < nodes.length; at += fields.length) {
    const kind = types[0][nodes[at + type]!]!;
    const named = ["object", "native", "closure", "code", "hidden", "object shape"].includes(kind);
    const key = named ? `${kind} ${strings[nodes[at + name]!]!.slice(0, 60)}` : kind;
    const sum = sums.get(key) ?? { count: 0, bytes: 0 };
    sum.count += 1;
    sum.bytes += nodes[at + size]!;
    sums.set(key, sum);
  }
  return new Map([...sums].sort(([, one], [, other]) => other.bytes - one.bytes));
}
