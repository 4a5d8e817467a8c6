const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

const ascii = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0));

/** Whole images of one pixel. */
export const png = bytesOf(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);
export const gif = bytesOf("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7");

/** The beginning of a JPEG of 640 × 480 pixels: APP0, a table, fill bytes, and a frame of the given kind. */
export function jpeg(frame = 0xc0): Uint8Array<ArrayBuffer> {
  const app0 = [0xff, 0xe0, 0, 16, ...ascii("JFIF\0"), 1, 1, 0, 0, 1, 0, 1, 0, 0];
  const table = [0xff, 0xdb, 0, 4, 0, 0];
  return Uint8Array.from([
    0xff,
    0xd8,
    ...app0,
    ...table,
    0xff,
    0xff,
    0xff,
    frame,
    0,
    17,
    8,
    1,
    224,
    2,
    128,
    3,
    0,
    0,
    0,
  ]);
}

/** The beginning of a WebP whose first chunk is this one. */
export function webp(chunk: string, content: number[]): Uint8Array<ArrayBuffer> {
  const size = [content.length, 0, 0, 0];
  return Uint8Array.from([...ascii("RIFF"), 0, 0, 0, 0, ...ascii(`WEBP${chunk}`), ...size, ...content]);
}
