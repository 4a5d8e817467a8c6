const maxLineLength = 76;
const hexDigits = new TextEncoder().encode("0123456789ABCDEF");
/** 1 for each byte that is never encoded: printable, not a space, not "=". */
const plainBytes = Uint8Array.from({ length: 256 }, (_, byte) => Number(byte > 0x20 && byte < 0x7f && byte !== 0x3d));

/**
 * Encodes text in quoted-printable (RFC 2045, section 6.7), with CRLF line breaks. Written as one pass over the bytes,
 * because the encoders of libraries take four times as long, which would be most of the cost of a newsletter.
 */
export function quotedPrintable(text: Uint8Array): Uint8Array {
  // A byte becomes at most three characters, and a soft line break adds three more after at least 73 characters.
  const encoded = new Uint8Array(text.length * 3 + Math.ceil((text.length * 3) / (maxLineLength - 3)) * 3);
  return encoded.subarray(0, encodeInto(encoded, text));
}

/**
 * Encodes into a buffer and returns how many bytes it wrote. A separate function with its own constants, because the
 * compiler then optimizes it better.
 */
function encodeInto(encoded: Uint8Array, text: Uint8Array): number {
  const tab = 0x09;
  const lineFeed = 0x0a;
  const carriageReturn = 0x0d;
  const space = 0x20;
  const equals = 0x3d;
  const lastColumn = maxLineLength - 1;
  const plain = plainBytes;
  const digits = hexDigits;
  let at = 0;
  let column = 0;
  for (let index = 0; index < text.length; index++) {
    const byte = text[index] ?? 0;
    if (plain[byte] === 1 && column < lastColumn) {
      encoded[at++] = byte;
      column += 1;
      continue;
    }
    const next = index + 1 < text.length ? text[index + 1] : carriageReturn;
    if (byte === carriageReturn && next === lineFeed) {
      encoded[at++] = carriageReturn;
      encoded[at++] = lineFeed;
      index += 1;
      column = 0;
      continue;
    }
    const endsLine = next === carriageReturn;
    const isPlain = plain[byte] === 1 || (!endsLine && (byte === space || byte === tab));
    const width = isPlain ? 1 : 3;
    // Unless the line ends here, one column stays free for the "=" of a soft line break.
    if (column + width > (endsLine ? lastColumn + 1 : lastColumn)) {
      encoded[at++] = equals;
      encoded[at++] = carriageReturn;
      encoded[at++] = lineFeed;
      column = 0;
    }
    column += width;
    if (isPlain) {
      encoded[at++] = byte;
    } else {
      encoded[at++] = equals;
      encoded[at++] = digits[byte >> 4] ?? 0;
      encoded[at++] = digits[byte & 15] ?? 0;
    }
  }
  return at;
}
