import { publicId } from "../../core/ids";
import type { ShownKey } from "../../core/keys";
import type { Project } from "../../platform/context";

/** Implements `GET /me`: describes the caller's project and key. A person with a session has no key. */
export function meJson({ id, name, testClock, disabled }: Project, key: ShownKey | null) {
  return { project: { id, name, testClock, disabled }, key: key && keyJson(key) };
}

function keyJson({ id, kind, name, prefix }: ShownKey) {
  return { id: publicId(id), kind, name, prefix };
}
