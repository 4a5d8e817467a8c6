import { createCipheriv, createDecipheriv, createHash, createHmac, timingSafeEqual } from "node:crypto";

const real = globalThis.crypto.subtle;
const tagBytes = 16;
/** The secrets of keys that were imported here, by what the caller holds. */
const secrets = new WeakMap();

/**
 * WebCrypto that answers without leaving the event loop, so that no call waits for a thread. `elsewhere` makes the calls
 * that only the machine's own can answer.
 */
export function webCrypto(elsewhere) {
  const known = {
    digest: (algorithm, data) => buffer(createHash(nodeName(algorithm)).update(bytes(data)).digest()),
    sign: (_, key, data) => buffer(hmacOf(key, data)),
    verify: (_, key, given, data) => isEqual(bytes(given), hmacOf(key, data)),
    encrypt: ({ iv }, key, data) => {
      const cipher = createCipheriv("aes-256-gcm", secrets.get(key).secret, bytes(iv));
      return buffer(Buffer.concat([cipher.update(bytes(data)), cipher.final(), cipher.getAuthTag()]));
    },
    decrypt: ({ iv }, key, data) => {
      const sealed = bytes(data);
      const cipher = createDecipheriv("aes-256-gcm", secrets.get(key).secret, bytes(iv));
      cipher.setAuthTag(sealed.subarray(-tagBytes));
      return buffer(Buffer.concat([cipher.update(sealed.subarray(0, -tagBytes)), cipher.final()]));
    },
    importKey: (_, secret, { hash }) => {
      const key = {};
      secrets.set(key, { secret: Uint8Array.from(bytes(secret)), hash });
      return key;
    },
  };
  const isKnown = {
    importKey: (format, secret, { name }) => format === "raw" && (name === "HMAC" || bytes(secret).length === 32),
    digest: () => true,
  };
  return new Proxy(real, {
    get: (_, name) => {
      if (typeof real[name] !== "function") return real[name];
      const isOurs = isKnown[name] ?? ((_algorithm, key) => secrets.has(key));
      return async (...given) =>
        name in known && isOurs(...given) ? known[name](...given) : elsewhere(() => real[name](...given));
    },
  });
}

function hmacOf(key, data) {
  const { secret, hash } = secrets.get(key);
  return createHmac(nodeName(hash), secret).update(bytes(data)).digest();
}

function isEqual(given, right) {
  return given.length === right.length && timingSafeEqual(given, right);
}

/** "SHA-256" of WebCrypto is "sha256" of Node. */
function nodeName(algorithm) {
  return (algorithm.name ?? algorithm).replace("-", "").toLowerCase();
}

function bytes(data) {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

function buffer(bytes) {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}
