/**
 * A stream of random numbers from 0 up to 1 (sfc32, which passes PractRand). Streams of one seed with different names do
 * not depend on each other, so that a draw more in one of them shifts no other.
 */
export function randomStream(seed, name) {
  let [a, b, c, counter] = [hash(`${seed} ${name} a`), hash(`${seed} ${name} b`), hash(`${seed} ${name} c`), 1];
  return () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
}

/** FNV-1a, which spreads short texts well enough to begin a stream. */
function hash(text) {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return value | 0;
}

/** Draws numbers from 0 to 0.9999 that are short in a plan. */
export function drawShort(random, count) {
  return Array.from({ length: count }, () => Math.min(0.9999, Math.round(random() * 1e4) / 1e4));
}
