// DER: a sequence of two integers, each with its length. None is longer than 127 bytes.
const sequence = 0x30;
const integer = 0x02;
const bytesOfCurve = { 1: 32, 2: 48, 3: 66 };

/**
 * Replaces SimpleWebAuthn's reader of ECDSA signatures, which comes with a whole ASN.1 library. Returns the two numbers
 * of a signature, one after the other, as Web Crypto expects them. Throws on anything else.
 */
export function unwrapEC2Signature(signature, curve) {
  const size = bytesOfCurve[curve];
  if (size === undefined || signature[0] !== sequence || signature[1] !== signature.length - 2) throw malformed();
  const both = new Uint8Array(2 * size);
  let at = 2;
  for (const end of [size, 2 * size]) {
    const length = signature[at + 1];
    const next = at + 2 + length;
    if (signature[at] !== integer || !(length > 0) || next > signature.length) throw malformed();
    const digits = withoutSign(signature.subarray(at + 2, next));
    if (digits.length > size) throw malformed();
    both.set(digits, end - digits.length);
    at = next;
  }
  if (at !== signature.length) throw malformed();
  return both;
}

/** A number whose first bit is set has a zero before it, so that it is not read as negative. */
function withoutSign(digits) {
  return digits[0] === 0 ? digits.subarray(1) : digits;
}

function malformed() {
  return new Error("This is not an ECDSA signature in DER");
}
