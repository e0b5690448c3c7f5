// Who a client is to a limit: never what it says of itself.
import { describe, expect, test } from "vitest";
import { clientAddress, networkOf } from "../../src/server/edge.ts";

const from = (forwarded: string | undefined, proxies: number) =>
  clientAddress({ headers: { "x-forwarded-for": forwarded }, socket: { remoteAddress: "10.0.0.1" } } as never, proxies);

describe("the client's address", () => {
  test.each([
    ["no proxy is trusted", "1.1.1.1", 0, "10.0.0.1"],
    ["one is: the last entry", "6.6.6.6, 1.1.1.1", 1, "1.1.1.1"],
    ["two are: the last but one", "6.6.6.6, 1.1.1.1, 10.0.0.2", 2, "1.1.1.1"],
    ["fewer entries than proxies", "1.1.1.1", 3, "1.1.1.1"],
    ["no header", undefined, 1, "10.0.0.1"],
    ["what is no address ends the trust", "1.1.1.1, unknown", 2, "10.0.0.1"],
    ["with a port", "1.1.1.1:4711", 1, "1.1.1.1"],
    ["IPv6 with a port", "[2001:db8::1]:4711", 1, "2001:db8::1"],
  ])("%s", (_, header, proxies, address) => {
    expect(from(header, proxies)).toBe(address);
  });
});

describe("its network", () => {
  test.each([
    ["1.2.3.4", "1.2.3.4"],
    ["::ffff:1.2.3.4", "1.2.3.4"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002::9", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8::2:3:4:5:6", "2001:db8:0:2::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ])("%s: %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
