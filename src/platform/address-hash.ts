import { createHmac } from "node:crypto";
import type { Project } from "./context";

/**
 * Hashes an erased address, so that it is recognised later. The key belongs to the project, so that addresses cannot be
 * tested without it. The hash of Node is synchronous and takes 11 µs, whereas WebCrypto needs a promise for each.
 */
export function addressHash({ addressKey }: Pick<Project, "addressKey">, email: string): string {
  return createHmac("sha256", addressKey).update(email).digest("hex");
}
