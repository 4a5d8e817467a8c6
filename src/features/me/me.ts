import { publicId } from "../../core/ids";
import type { ShownKey } from "../../core/keys";
import type { Project } from "../../platform/context";

/** `GET /me`: the caller's own project and key. */
export function meJson(
  { id, name, testClock, disabled }: Project,
  { id: keyId, kind, name: keyName, prefix }: ShownKey,
) {
  return { project: { id, name, testClock, disabled }, key: { id: publicId(keyId), kind, name: keyName, prefix } };
}
