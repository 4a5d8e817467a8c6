/** The image types that every mail program displays. */
export const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type ImageType = (typeof imageTypes)[number];

/** The type and the size of an image, read from its first bytes. */
export interface Image {
  type: ImageType;
  width: number;
  height: number;
}

/**
 * Reads the type and the size of an image from its bytes, regardless of its name. Null when it is of another type, or
 * its header is broken.
 */
export function readImage(bytes: Uint8Array): Image | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const image = readPng(view) ?? readGif(view) ?? readWebp(view) ?? readJpeg(view);
  return image !== null && image.width > 0 && image.height > 0 ? image : null;
}

function isText(view: DataView, at: number, text: string): boolean {
  if (view.byteLength < at + text.length) return false;
  return [...text].every((letter, index) => view.getUint8(at + index) === letter.charCodeAt(0));
}

/** Reads the signature and the IHDR chunk (PNG specification, third edition, sections 5.2 and 11.2.1). */
function readPng(view: DataView): Image | null {
  if (view.byteLength < 24 || !isText(view, 0, "\x89PNG\r\n\x1a\n") || !isText(view, 12, "IHDR")) return null;
  return { type: "image/png", width: view.getUint32(16), height: view.getUint32(20) };
}

/** Reads the header and the logical screen (GIF89a specification, sections 17 and 18). */
function readGif(view: DataView): Image | null {
  if (view.byteLength < 10 || !(isText(view, 0, "GIF87a") || isText(view, 0, "GIF89a"))) return null;
  return { type: "image/gif", width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

/**
 * Reads the first chunk, whose name tells the format of the image (RFC 9649 section 2, and RFC 6386 section 9.1 for
 * VP8).
 */
function readWebp(view: DataView): Image | null {
  if (view.byteLength < 30 || !isText(view, 0, "RIFF") || !isText(view, 8, "WEBP")) return null;
  const type = "image/webp";
  if (isText(view, 12, "VP8 ") && isText(view, 23, "\x9d\x01\x2a")) {
    return { type, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  }
  if (isText(view, 12, "VP8L") && view.getUint8(20) === 0x2f) {
    const bits = view.getUint32(21, true);
    return { type, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (isText(view, 12, "VP8X")) return { type, width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
  return null;
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

/** Skips marker segments until the header of the frame (ITU-T T.81, annex B: B.1.1.2 and B.2.2). */
function readJpeg(view: DataView): Image | null {
  if (!isText(view, 0, "\xff\xd8\xff")) return null;
  for (let at = 2; at + 9 <= view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      // A marker may have fill bytes before it.
      at += 1;
    } else if (isFrame(marker)) {
      return { type: "image/jpeg", width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    } else if (marker === startOfScan) {
      return null;
    } else {
      // The length includes its own two bytes.
      at += 2 + Math.max(2, view.getUint16(at + 2));
    }
  }
  return null;
}

const startOfScan = 0xda;

/** Matches SOF0 to SOF15, except DHT, JPG and DAC, whose numbers lie between them. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}
