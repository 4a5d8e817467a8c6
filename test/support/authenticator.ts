import { toBase64url } from "../../src/core/base64url";
import { ourOrigin } from "./visitor";

/** What an authenticator or a browser may do otherwise than it should. */
interface Ways {
  origin?: string;
  rpId?: string;
  type?: string;
  isVerified?: boolean;
  counter?: number;
  isBackedUp?: boolean;
  userHandle?: string | null;
}

interface Options {
  challenge: string;
}

const utf8 = new TextEncoder();

/** A passkey on a device of ours, with an ES256 key of its own. */
export class TestPasskey {
  readonly id = toBase64url(crypto.getRandomValues(new Uint8Array(16)));
  /** The person for whom it was made, as the options named them. */
  userHandle = "";

  private constructor(private readonly keys: CryptoKeyPair) {}

  static async create(): Promise<TestPasskey> {
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    // A pair is what comes of an asymmetric algorithm.
    return new TestPasskey((await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair);
  }

  /** Answers the options of a registration, as `navigator.credentials.create` does. */
  async register(options: Options & { user: { id: string } }, ways: Ways = {}) {
    this.userHandle = options.user.id;
    const data = concat(await authenticatorData(ways, 0x40), await this.attestedCredential());
    const object = concat(
      ...[[0xa3], text("fmt"), text("none"), text("attStmt"), [0xa0], text("authData")],
      ...[[0x59, data.length >> 8, data.length & 255], data],
    );
    return {
      ...{ id: this.id, rawId: this.id, type: "public-key" },
      response: {
        clientDataJSON: clientData("webauthn.create", options, ways),
        attestationObject: toBase64url(object),
        transports: ["internal", "hybrid"],
      },
    };
  }

  /** Answers the options of a sign-in, as `navigator.credentials.get` does. */
  async signIn(options: Options, ways: Ways = {}) {
    const clientDataJSON = clientData("webauthn.get", options, ways);
    const data = await authenticatorData(ways, 0);
    const said = utf8.encode(JSON.stringify(clientDataOf("webauthn.get", options, ways)));
    const signed = concat(data, new Uint8Array(await crypto.subtle.digest("SHA-256", said)));
    const algorithm = { name: "ECDSA", hash: "SHA-256" };
    const signature = new Uint8Array(await crypto.subtle.sign(algorithm, this.keys.privateKey, signed));
    const { userHandle = this.userHandle } = ways;
    return {
      ...{ id: this.id, rawId: this.id, type: "public-key" },
      response: {
        clientDataJSON,
        authenticatorData: toBase64url(data),
        signature: toBase64url(inDer(signature)),
        userHandle,
      },
    };
  }

  private async attestedCredential(): Promise<Uint8Array> {
    const raw = new Uint8Array((await crypto.subtle.exportKey("raw", this.keys.publicKey)) as ArrayBuffer);
    const id = Uint8Array.from(atob(this.id.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
    const key = [0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32, ...raw.slice(1, 33), 0x22, 0x58, 32, ...raw.slice(33)];
    return concat(new Uint8Array(16), [0, id.length], id, key);
  }
}

async function authenticatorData({ rpId, isVerified = true, counter = 0, isBackedUp = false }: Ways, flags: number) {
  const party = new Uint8Array(await crypto.subtle.digest("SHA-256", utf8.encode(rpId ?? new URL(ourOrigin).hostname)));
  const all = flags | 0x01 | (isVerified ? 0x04 : 0) | (isBackedUp ? 0x18 : 0);
  return concat(party, [all], [counter >>> 24, counter >>> 16, counter >>> 8, counter]);
}

function clientDataOf(usual: string, { challenge }: Options, { type = usual, origin = ourOrigin }: Ways) {
  return { type, challenge, origin, crossOrigin: false };
}

function clientData(usual: string, options: Options, ways: Ways): string {
  return toBase64url(utf8.encode(JSON.stringify(clientDataOf(usual, options, ways))));
}

/** A short text in CBOR. */
function text(value: string): number[] {
  return [0x60 + value.length, ...utf8.encode(value)];
}

function concat(...parts: ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => Array.from(part)));
}

/** Web Crypto writes the two numbers of a signature beside each other, and authenticators in DER. */
function inDer(signature: Uint8Array): Uint8Array {
  const number = (bytes: Uint8Array) => {
    const first = bytes.findIndex((byte) => byte !== 0);
    const digits = [...bytes.slice(first)];
    const positive = (digits[0] ?? 0) > 127 ? [0, ...digits] : digits;
    return [2, positive.length, ...positive];
  };
  const both = [...number(signature.slice(0, 32)), ...number(signature.slice(32))];
  return Uint8Array.from([0x30, both.length, ...both]);
}
