/** A key pair and a self-signed X.509 certificate of it, as PEM: enough of one to be read, signed or not. */
export async function selfSigned(
  options: { isVersion1?: boolean } = {},
): Promise<{ keys: CryptoKeyPair; pem: string }> {
  // An algorithm with a modulus makes a pair.
  const keys = (await crypto.subtle.generateKey(
    { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
    true,
    ["sign", "verify"],
  )) as CryptoKeyPair;
  const spki = new Uint8Array((await crypto.subtle.exportKey("spki", keys.publicKey)) as ArrayBuffer);
  return { keys, pem: certificateOf(spki, options) };
}

const sha256WithRsa = element(0x30, [0x06, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 11, 0x05, 0]);
const nobody = element(0x30, element(0x31, element(0x30, [0x06, 3, 0x55, 4, 3, 0x0c, 3, 0x73, 0x6e, 0x73])));

export function certificateOf(spki: Uint8Array, { isVersion1 = false }: { isVersion1?: boolean } = {}): string {
  const version = isVersion1 ? [] : element(0xa0, element(0x02, [2]));
  const validity = element(0x30, [...time("260101000000Z"), ...time("360101000000Z")]);
  const toBeSigned = [...version, ...element(0x02, [1]), ...sha256WithRsa, ...nobody, ...validity, ...nobody, ...spki];
  const signature = element(0x03, [0, ...new Array<number>(256).fill(1)]);
  const der = element(0x30, [...element(0x30, toBeSigned), ...sha256WithRsa, ...signature]);
  const base64 = btoa(String.fromCharCode(...der));
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/(.{64})/g, "$1\n")}\n-----END CERTIFICATE-----\n`;
}

function time(text: string): number[] {
  return element(0x17, [...new TextEncoder().encode(text)]);
}

function element(tag: number, content: number[]): number[] {
  const { length } = content;
  if (length < 128) return [tag, length, ...content];
  return length < 256 ? [tag, 0x81, length, ...content] : [tag, 0x82, length >> 8, length & 255, ...content];
}
