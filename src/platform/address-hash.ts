import { createHmac } from "node:crypto";
import type { Project } from "./context";

/**
 * Hashes an erased address, so that the address is recognised later. Each project has its own secret key. Without the
 * key, it is impossible to test whether an address has a given hash. Node's hash is synchronous and takes 11 µs,
 * whereas WebCrypto needs a promise for each hash.
 */
export function addressHash({ addressKey }: Pick<Project, "addressKey">, email: string): string {
  return createHmac("sha256", addressKey).update(email).digest("hex");
}
