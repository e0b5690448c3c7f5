// The fields of a media request that no model changes: prompts, addresses, idempotency keys.
import { describe, expect, test } from "vitest";
import { readReferences } from "../../src/jobs/image-plan.ts";
import { readPrompt } from "../../src/jobs/plan-media.ts";
import { idempotencyKeyOf } from "../../src/jobs/submit-request.ts";
import { readSourceAddress } from "../../src/network/address.ts";

const refusal = (code: string, param: string) => expect.objectContaining({ code, details: expect.objectContaining({ param }) });

describe("a prompt", () => {
  test.each([
    ["a".repeat(4000), 4000],
    ["e\u0301".repeat(4000), 4000], // composed: one character each
    ["🎈".repeat(4000), 8000],
    ["  a ", 4],
  ])("is taken at 4000 characters after NFC", (prompt, length) => expect(readPrompt(prompt)).toHaveLength(length));
  test("a million marks in a row are refused in time", () => {
    // Normalised, they would take minutes: the test's own time would be over.
    expect(() => readPrompt(`a${"\u0301\u0316".repeat(500_000)}`)).toThrow(refusal("invalid_prompt", "prompt"));
  });
  test.each(["", "   \n", null, undefined, "a".repeat(4001), "🎈".repeat(4001), "q\u0323\u0307".repeat(2001), "a\0b"])(
    "%# is refused",
    (prompt) => {
      expect(() => readPrompt(prompt)).toThrow(refusal("invalid_prompt", "prompt"));
    },
  );
  test("half a surrogate pair becomes the replacement character", () => expect(readPrompt("a\ud800b")).toBe("a\ufffdb"));
});

describe("the address of a reference file", () => {
  const read = (address: string, allowPrivateUrls = false) => readSourceAddress(address, "image_url", { allowPrivateUrls });
  test.each([
    "https://example.com/a.png",
    "https://93.184.216.34/a",
    "https://ec2-54-12-3-4.compute.example.com/v1.2.3.4/a",
    "https://localhost.example.com/",
    "https://default.example.com/",
    "https://files.test/",
    "https://files.example/",
    "https://xn--fiqs8s.xn--fiqs8s/",
    "https://[2606:2800:220:1::1]/a",
    "https://example.com:8443/a?b=c#d",
  ])("%s is taken", (address) => expect(read(address)).toBe(address));
  test("what is loaded is what was checked: the address as a parser writes it", () => {
    expect(read(" HTTPS://EXAMPLE.com/a b\n")).toBe("https://example.com/a%20b");
    expect(read("https://example.com/\ud800")).toBe("https://example.com/%EF%BF%BD");
  });
  test.each(
    [
      ["", "a.png", "//example.com/a", "http://example.com/a", "ftp://example.com/a", "file:///etc/passwd", "https://", "https:///"],
      [
        "data:image/png;base64,AAAA",
        "javascript:alert(1)",
        "https://user@example.com/",
        "https://user:word@example.com/",
        "https://:word@example.com/",
      ],
      [
        "https://localhost/a",
        "https://LOCALHOST./a",
        "https://a.localhost/",
        "https://printer.local/",
        "https://db.internal/",
        "https://localhost.localdomain/",
      ],
      [
        "https://127.0.0.1/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://0/",
        "https://127.0.0.1./",
      ],
      [
        ...[
          "https://metadata/",
          "https://a/",
          "https://kubernetes.default.svc/",
          "https://db.default.svc.cluster.local/",
          "https://nas.home.arpa/",
        ],
        ...[
          "https://router.lan/",
          "https://wiki.intranet/",
          "https://wiki.corp./",
          "https://127.0.0.1.nip.io/",
          "https://7f000001.nip.io/",
        ],
        ...[
          "https://127-0-0-1.sslip.io/",
          "https://a.10.0.0.1.example.com/",
          "https://app-192-168-1-1.example.com/",
          "https://www.lvh.me/",
        ],
      ],
      [
        ...["https://kubernetes.default/", "https://kubernetes.default./", "https://coredns.kube-system/", "https://wiki.intra/"],
        ...["https://api.team1/", "https://api.a/", "https://api.1a/", "https://api.x_y/"],
      ],
      [
        "https://10.0.0.1/",
        "https://172.16.5.4/",
        "https://192.168.1.1/",
        "https://169.254.169.254/latest/",
        "https://100.64.0.1/",
        "https://255.255.255.255/",
      ],
      [
        "https://[::1]/",
        "https://[::]/",
        "https://[fe80::1]/",
        "https://[fd00::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:a00:1]/",
      ],
      [
        "https://[64:ff9b::7f00:1]/",
        "https://[2002:7f00:1::]/",
        "https://[::7f00:1]/",
        "https://224.0.0.1/",
        "https://①②⑦.⓪.⓪.①/",
        `https://example.com/${"a".repeat(8192)}`,
      ],
    ].flat(),
  )("%s is refused", (address) => {
    expect(() => read(address)).toThrow(refusal("invalid_parameter", "image_url"));
  });
  test("private hosts pass where the operator lets them, and only over HTTPS", () => {
    expect(read("https://127.0.0.1:9/a", true)).toBe("https://127.0.0.1:9/a");
    expect(read("https://localhost/a", true)).toBe("https://localhost/a");
    expect(() => read("http://127.0.0.1:9/a", true)).toThrow();
    expect(() => read("https://169.254.169.254/", true)).toThrow();
  });
});

describe("references", () => {
  const model = { id: "a/model", media: { takesImages: true, requiresImage: false, maxReferences: 2 } } as Parameters<
    typeof readReferences
  >[0];
  const read = (fields: object, of = model) => readReferences(of, fields, { allowPrivateUrls: false });
  const [one, two, three] = ["https://a.example/1", "https://a.example/2", "https://a.example/3"];
  test.each([
    [{}, []],
    [{ image_url: null, image_urls: null }, []],
    [{ image_url: one }, [one]],
    [{ image_url: one, image_urls: [two, three] }, [two, three]],
    [{ image_url: one, image_urls: [] }, [one]],
  ])("%j", (fields, references) => expect(read(fields)).toEqual(references));
  test("the refusal names the address that is wrong", () => {
    expect(() => read({ image_urls: [one, "http://a.example/2"] })).toThrow(refusal("invalid_parameter", "image_urls[1]"));
    expect(() => read({ image_url: "" })).toThrow(refusal("invalid_parameter", "image_url"));
  });
  test("more than the model takes", () => {
    expect(() => read({ image_urls: [one, two, three] })).toThrow(refusal("too_many_references", "image_urls"));
  });
  test("models that read none ignore even what is wrong", () => {
    const blind = { ...model, media: { ...model.media, takesImages: false } };
    expect(read({ image_url: "http://localhost/", image_urls: Array.from({ length: 99 }, () => "x") }, blind)).toEqual([]);
  });
  test("the edit model needs one", () => {
    const edit = { ...model, media: { ...model.media, requiresImage: true } };
    expect(() => read({ image_urls: [] }, edit)).toThrow(refusal("image_url_required", "image_url"));
    expect(read({ image_urls: [one] }, edit)).toEqual([one]);
  });
});

describe("an idempotency key", () => {
  test.each([
    [undefined, undefined, null],
    [null, "", null],
    ["", "header", "header"],
    ["body", "header", "body"],
    [undefined, "header", "header"],
    ["a".repeat(129), undefined, "a".repeat(128)],
    ["🎈".repeat(200), undefined, "🎈".repeat(128)],
    ["a\ud800", undefined, "a\ufffd"],
    [undefined, Buffer.from("schlüssel").toString("latin1"), "schlüssel"],
    [undefined, "schl\xfcssel", "schlüssel"],
  ])("%#: the body's before the header's, cut to 128 characters", (body, header, key) => expect(idempotencyKeyOf(body, header)).toBe(key));
});
