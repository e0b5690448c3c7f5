// Addresses that the guarded downloader accepts: names, addresses, redirects. fetch-bodies.test.ts covers the bodies.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FetchPolicy, callerPolicy, providerPolicy } from "../../src/media/fetch-policy.ts";
import { fetchToFile } from "../../src/media/fetch-to-file.ts";
import { type FileServer, ca, fixture, newFolder, resolver, startFileServer } from "./file-server.ts";

const image = fixture("picture.png");
const limits = { bytesMax: 1_000_000, connectMs: 5_000, headMs: 5_000, idleMs: 5_000, wholeMs: 20_000 };
const { folder, names } = newFolder();
let server: FileServer;
let plain: FileServer;

beforeAll(async () => {
  const serve: Parameters<typeof startFileServer>[0] = (req, res) => {
    const to = new URL(req.url!, "http://x").searchParams.get("to");
    if (to === null) return void res.end(image);
    res.writeHead(302, { location: to }).end("elsewhere");
  };
  server = await startFileServer(serve);
  plain = await startFileServer(serve, { plain: true });
});
afterAll(() => Promise.all([server.close(), plain.close()]));

let files = 0;
const loaded: string[] = [];
async function load(url: string, policy: FetchPolicy) {
  const name = `file-${++files}`;
  const found = await fetchToFile({ url, path: join(folder, name), policy, limits, signal: new AbortController().signal, ca });
  loaded.push(name);
  return found;
}

/** As callers' addresses are judged, with names of our own. */
function strict(addresses: Record<string, string[]>) {
  return { ...callerPolicy(false), resolve: resolver(addresses) };
}
function opened(addresses: Record<string, string[]>) {
  return { ...callerPolicy(true), resolve: resolver(addresses) };
}
const here = { "files.test": ["127.0.0.1"], "other.test": ["127.0.0.1"] };
const refusal = { name: "Error", reason: "invalid" };

describe("a caller's address", () => {
  test.each(["10.1.2.3", "127.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "fd00::1"])(
    "a name that leads to %s is never connected to",
    async (address) => {
      const before = server.connections();
      await expect(load(`https://files.test:${server.port}/`, strict({ "files.test": [address] }))).rejects.toMatchObject({
        ...refusal,
        message: "The address does not lead to a public host.",
      });
      expect(server.connections()).toBe(before);
    },
  );

  const addresses = ["127.0.0.1", "2130706433", "0x7f.1", "017700000001", "[::1]", "[::ffff:7f00:1]", "[::7f00:1]", "169.254.169.254"];
  const hosts = [
    "metadata",
    "localhost",
    "kubernetes.default.svc",
    "nas.home.arpa",
    "127.0.0.1.nip.io",
    "a.lvh.me",
    "10-0-0-1.example.com",
  ];
  test.each([...addresses, ...hosts])("https://%s/, a private host by its form, is refused without a DNS query", async (host) => {
    const policy = strict({});
    await expect(load(`https://${host}:${server.port}/`, policy)).rejects.toMatchObject(refusal);
    expect(policy.resolve.asked).toEqual([]);
  });

  test.each(["http://files.test/", "ftp://files.test/", "file:///etc/passwd", "data:image/png;base64,AAAA", "nonsense", "//files.test/x"])(
    "%s is refused",
    async (url) => {
      await expect(load(url, opened(here))).rejects.toMatchObject(refusal);
    },
  );

  test("a user name or a password in it is refused", async () => {
    await expect(load(`https://user:secret@files.test:${server.port}/`, opened(here))).rejects.toMatchObject(refusal);
  });

  test("each hop resolves the name once and connects to the resolved address", async () => {
    let question = 0;
    const resolve = async () => [{ address: question++ === 0 ? "127.0.0.1" : "169.254.169.254", family: 4 }];
    const policy = { ...callerPolicy(true), resolve };
    expect(await load(`https://files.test:${server.port}/a?b=c#d`, policy)).toEqual({ bytes: image.length });
    expect(question).toBe(1);
    expect(server.requests.at(-1)).toMatchObject({
      url: "/a?b=c",
      headers: { host: `files.test:${server.port}`, "accept-encoding": "identity" },
    });
  });

  test("forbidden addresses beside an allowed one are left out", async () => {
    const policy = opened({ "files.test": ["169.254.169.254", "127.0.0.1", "fe80::1"] });
    expect(await load(`https://files.test:${server.port}/`, policy)).toEqual({ bytes: image.length });
  });

  test("a certificate for another name is refused", async () => {
    const policy = opened({ "wrong.test": ["127.0.0.1"] });
    await expect(load(`https://wrong.test:${server.port}/`, policy)).rejects.toMatchObject({ reason: "unreachable" });
  });

  test("a name that does not exist is unreachable", async () => {
    await expect(load("https://nowhere.test/", opened({}))).rejects.toMatchObject({ reason: "unreachable" });
  });

  test("a proxy of the environment is not used", async () => {
    process.env.HTTPS_PROXY = "http://127.0.0.1:9";
    try {
      expect(await load(`https://files.test:${server.port}/`, opened(here))).toEqual({ bytes: image.length });
    } finally {
      delete process.env.HTTPS_PROXY;
    }
  });
});

describe("redirects", () => {
  const redirecting = (to: string) => `https://files.test:${server.port}/?to=${encodeURIComponent(to)}`;
  test("are followed, also relative ones", async () => {
    const policy = opened(here);
    expect(await load(redirecting(`https://other.test:${server.port}/?to=%2Fplain`), policy)).toEqual({ bytes: image.length });
    expect(policy.resolve.asked).toEqual(["files.test", "other.test", "other.test"]);
  });

  test.each([
    "https://inner.test/",
    "https://169.254.169.254/latest/meta-data/",
    "https://[fe80::1]/",
    "http://other.test/",
    "file:///etc/passwd",
  ])("to %s are refused", async (to) => {
    await expect(load(redirecting(to), opened({ ...here, "inner.test": ["169.254.169.254"] }))).rejects.toMatchObject(refusal);
  });

  test("that never end are given up after the fifth", async () => {
    const before = server.requests.length;
    let loop = "/";
    for (let hop = 0; hop < 5; hop++) loop = `/?to=${encodeURIComponent(loop)}`;
    expect(await load(`https://files.test:${server.port}${loop}`, opened(here))).toEqual({ bytes: image.length });
    await expect(load(redirecting(loop), opened(here))).rejects.toMatchObject({ ...refusal, message: "The address redirects too often." });
    expect(server.requests.length - before).toBe(12);
  });
});

describe("what a provider made", () => {
  const on = (baseUrl: string, addresses: Record<string, string[]>) => providerPolicy({ baseUrl }, resolver({ ...here, ...addresses }));
  test("may be on a private address, over http too, where the provider has one itself", async () => {
    for (const baseUrl of ["http://127.0.0.1:9/fal", "https://queue.test/v1"]) {
      const policy = await on(baseUrl, { "queue.test": ["10.0.0.5"] });
      expect(await load(`http://files.test:${plain.port}/`, policy)).toEqual({ bytes: image.length });
      await expect(load("http://169.254.169.254/latest/", policy)).rejects.toMatchObject(refusal);
    }
  });
  test("may not where the provider has a public address or none", async () => {
    for (const baseUrl of ["https://8.8.8.8/", "https://queue.test/", "https://gone.test"]) {
      const policy = await on(baseUrl, { "queue.test": ["1.1.1.1"] });
      await expect(load(`http://files.test:${plain.port}/`, policy)).rejects.toMatchObject(refusal);
    }
  });
});

test("a refused address leaves no file", () => {
  expect(names().sort()).toEqual(loaded.sort());
  expect(loaded.length).toBeLessThan(files);
});
