import { createHash } from "node:crypto";

/** The hash of a request, made while its body arrives: of its method and path, and of the bytes of the body. */
export interface RequestHash {
  add(bytes: Uint8Array): void;
  end(): string;
}

/** `request` is the method and path, such as `POST /v1/send`. Node's hash takes a body part by part, so nothing is kept. */
export function openRequestHash(request: string): RequestHash {
  const hash = createHash("sha256").update(`${request}\n`);
  return { add: (bytes) => void hash.update(bytes), end: () => hash.digest("base64url") };
}
