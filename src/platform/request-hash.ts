import { createHash } from "node:crypto";

/** The hash of a request's method, path and body, computed while the body arrives. */
export interface RequestHash {
  add(bytes: Uint8Array): void;
  end(): string;
}

/**
 * Opens a hash. `request` is the method and path, such as `POST /v1/send`. Node's hash accepts the body in parts, so
 * nothing is buffered.
 */
export function openRequestHash(request: string): RequestHash {
  const hash = createHash("sha256").update(`${request}\n`);
  return { add: (bytes) => void hash.update(bytes), end: () => hash.digest("base64url") };
}
