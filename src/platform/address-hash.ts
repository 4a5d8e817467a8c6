import { createHmac } from "node:crypto";
import type { Project } from "./context";

/**
 * Hashes an erased address, to recognise it later. The key is the project's own, so that nobody without it can test
 * addresses. Node's hash is synchronous and takes 11 µs; WebCrypto needs a promise for each.
 */
export function addressHash({ addressKey }: Pick<Project, "addressKey">, email: string): string {
  return createHmac("sha256", addressKey).update(email).digest("hex");
}
