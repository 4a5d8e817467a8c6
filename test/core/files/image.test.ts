import { describe, expect, it } from "vitest";
import { readImage } from "../../../src/core/files/image";
import { gif, jpeg, png, webp } from "../../support/images";

describe("an image", () => {
  it.each([
    ["a PNG", png, { type: "image/png", width: 1, height: 1 }],
    ["a GIF", gif, { type: "image/gif", width: 1, height: 1 }],
    ["a JPEG", jpeg(), { type: "image/jpeg", width: 640, height: 480 }],
    ["a progressive JPEG", jpeg(0xc2), { type: "image/jpeg", width: 640, height: 480 }],
    [
      "a lossy WebP",
      webp("VP8 ", [0, 0, 0, 0x9d, 0x01, 0x2a, 0x80, 0x42, 0xe0, 0x01]),
      { type: "image/webp", width: 640, height: 480 },
    ],
    // 14 bits of the width less one, then 14 of the height less one.
    [
      "a lossless WebP",
      webp("VP8L", [0x2f, 0x7f, 0xc2, 0x77, 0x00, 0, 0, 0, 0, 0]),
      { type: "image/webp", width: 640, height: 480 },
    ],
    [
      "an extended WebP",
      webp("VP8X", [0x10, 0, 0, 0, 0x7f, 0x02, 0, 0xdf, 0x01, 0]),
      { type: "image/webp", width: 640, height: 480 },
    ],
  ])("%s is known by its first bytes", (_, bytes, image) => {
    expect(readImage(bytes)).toEqual(image);
  });

  it("is read where it lies within a larger buffer", () => {
    const around = new Uint8Array(png.length + 20);
    around.set(png, 7);
    expect(readImage(around.subarray(7, 7 + png.length))).toEqual({ type: "image/png", width: 1, height: 1 });
  });

  const text = (written: string) => new TextEncoder().encode(written);

  it.each([
    ["nothing", new Uint8Array()],
    ["a text", text("GIF what")],
    ["an SVG", text('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ["a PDF", text("%PDF-1.7 and something more, of it")],
    ["a PNG of no pixels", png.map((byte, at) => (at === 19 ? 0 : byte))],
    ["a PNG without its header", png.map((byte, at) => (at === 12 ? 0 : byte))],
    ["a JPEG whose scan has no frame", jpeg(0xda)],
    ["a JPEG that ends too early", jpeg().slice(0, 30)],
    ["a WebP of an unknown kind", webp("ALPH", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])],
  ])("%s is none", (_, bytes) => {
    expect(readImage(bytes)).toBeNull();
  });

  it.each([png, gif, jpeg(), webp("VP8X", [0x10, 0, 0, 0, 0x7f, 0x02, 0, 0xdf, 0x01, 0])])(
    "that is cut off anywhere throws nothing (%#)",
    (bytes) => {
      for (let length = 0; length < bytes.length; length++) readImage(bytes.slice(0, length));
    },
  );
});
