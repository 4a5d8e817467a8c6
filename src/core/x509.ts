const sequence = 0x30;
const explicitVersion = 0xa0;

interface Element {
  tag: number;
  /** Offsets: the start of the element, the start of its content, and the end of both. */
  start: number;
  content: number;
  end: number;
}

/**
 * Returns the public key of a PEM certificate as SubjectPublicKeyInfo, because Web Crypto cannot read certificates. The
 * certificate is not verified: the caller must have it from a trusted source.
 */
export function publicKeyOf(pem: string): Uint8Array<ArrayBuffer> {
  const der = derOf(pem);
  const [certificate] = elementsIn(der, 0, der.length);
  const [toBeSigned] = inside(der, certificate);
  const fields = inside(der, toBeSigned);
  // The fields are (RFC 5280, section 4.1): version if it is not 1, serial number, signature, issuer, validity,
  // subject, public key.
  const key = fields[fields[0]?.tag === explicitVersion ? 6 : 5];
  if (key?.tag !== sequence) throw notACertificate();
  return der.slice(key.start, key.end);
}

function derOf(pem: string): Uint8Array<ArrayBuffer> {
  const [, base64] = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/.exec(pem) ?? [];
  if (base64 === undefined) throw notACertificate();
  return Uint8Array.from(atob(base64.replace(/\s+/g, "")), (character) => character.charCodeAt(0));
}

function inside(der: Uint8Array, parent: Element | undefined): Element[] {
  if (parent?.tag !== sequence) throw notACertificate();
  return elementsIn(der, parent.content, parent.end);
}

/** Returns the consecutive elements in a range of DER. Each must end inside the range. */
function elementsIn(der: Uint8Array, from: number, to: number): Element[] {
  const elements: Element[] = [];
  for (let at = from; at < to; ) {
    const element = elementAt(der, at);
    if (element.end > to) throw notACertificate();
    elements.push(element);
    at = element.end;
  }
  return elements;
}

function elementAt(der: Uint8Array, start: number): Element {
  const tag = der[start];
  const first = der[start + 1];
  if (tag === undefined || first === undefined) throw notACertificate();
  // A byte below 128 is the length itself. Otherwise its low bits are the number of length bytes that follow.
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (first >= 0x80 && (lengthBytes === 0 || lengthBytes > 3)) throw notACertificate();
  const content = start + 2 + lengthBytes;
  let length = lengthBytes === 0 ? first : 0;
  for (const byte of der.subarray(start + 2, content)) length = length * 256 + byte;
  return { tag, start, content, end: content + length };
}

function notACertificate(): Error {
  return new Error("This is not an X.509 certificate");
}
