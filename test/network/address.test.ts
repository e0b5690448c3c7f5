// Which addresses count as hosts on the internet, and how long it takes to see whether a text is an address.
import { expect, test } from "vitest";
import { isPath, isPrivateAddress, isPublicAddress, startsAsAddress } from "../../src/network/address.ts";

test.each(["1.1.1.1", "93.184.216.34", "172.32.0.1", "2606:4700::1111", "2a00:1450:4001::1"])("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
  expect(isPrivateAddress(address)).toBe(false);
});

const refused = `0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1
  192.31.196.1 192.52.193.1 192.88.99.1 192.168.1.1 192.175.48.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1
  255.255.255.255 :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::7f00:1 100::1 2001::1
  2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2620:4f:8000::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0
  fec0::1 ff02::1 4000::1 files.test 1.2.3 0x7f000001`.split(/\s+/);

test.each(refused)("%s is not", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(["10.0.0.1", "127.0.0.1", "::1", "fd00::1", "100.64.0.1", "192.168.1.1", "::ffff:10.0.0.1"])("%s may be opened", (address) => {
  expect(isPrivateAddress(address)).toBe(true);
});

const closed = `169.254.169.254 fe80::1 0.0.0.0 224.0.0.1 255.255.255.255 ::ffff:169.254.169.254
  fd00:ec2::254 fd00:0ec2:0::0254 fd20:ce::254 fd00:c1::a9fe:a9fe 100.100.100.200 ::ffff:100.100.100.200`.split(/\s+/);

test.each(closed)("%s stays closed, whatever the operator opens", (address) => {
  expect(isPrivateAddress(address)).toBe(false);
});

test.each(["A", "/9j/A", "\t", " ", "h\t", "ht", "\u0001", "~a", "\n/"])(
  "a text of 4 MB, of %j again and again, is no address and takes no time",
  (some) => {
    const text = some.repeat((4 * 1024 ** 2) / some.length);
    const before = performance.now();
    expect([startsAsAddress(text), isPath(text)]).toEqual([false, false]);
    expect(performance.now() - before).toBeLessThan(1000);
  },
);

test("a heading that looks like a scheme, far above its text, is no address and takes no time", () => {
  const lines = "\n".repeat(1024 ** 2);
  const before = performance.now();
  expect([`file:${lines}x y`, `file:${lines}xy`].map(startsAsAddress)).toEqual([false, true]);
  expect(performance.now() - before).toBeLessThan(1000);
});
