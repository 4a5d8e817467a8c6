import { createHmac } from "node:crypto";
import type { Project } from "./context";

/**
 * Hashes an erased address, so that the address is recognised later. Each project has a key of its own, without which
 * addresses cannot be tested. Node's hash is synchronous and takes 11 µs, whereas WebCrypto needs a promise for each
 * hash.
 */
export function addressHash({ addressKey }: Pick<Project, "addressKey">, email: string): string {
  return createHmac("sha256", addressKey).update(email).digest("hex");
}
