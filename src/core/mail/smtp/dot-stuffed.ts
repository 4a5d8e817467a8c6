const [dot, cr, lf] = [46, 13, 10];

/**
 * Encodes a message for DATA (RFC 5321, section 4.5.2): a line that begins with a dot gets a second one, and the last
 * line is terminated. The single dot that ends the data is not included.
 */
export function dotStuffed(message: Uint8Array): Uint8Array {
  const isLineStart = (index: number) => index === 0 || (message[index - 1] === lf && message[index - 2] === cr);
  let dots = 0;
  for (let index = 0; index < message.length; index++) if (message[index] === dot && isLineStart(index)) dots += 1;
  const isEnded = message.at(-1) === lf && message.at(-2) === cr;
  const stuffed = new Uint8Array(message.length + dots + (isEnded ? 0 : 2));
  let at = 0;
  for (const [index, byte] of message.entries()) {
    if (byte === dot && isLineStart(index)) stuffed[at++] = dot;
    stuffed[at++] = byte;
  }
  if (!isEnded) stuffed.set([cr, lf], at);
  return stuffed;
}
