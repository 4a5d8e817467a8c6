import { clickPath, pixelPath } from "./destination";
import { signDestination, signMail, type TrackedMail } from "./token";
import type { Tracker } from "./track-links";

/** The tracker of one mail, whose tokens are signed with `secret`. */
export function openTracker(secret: string, base: string, mail: TrackedMail): Tracker {
  const signed = signMail(secret, mail);
  return {
    base,
    scope: `${mail.projectId} ${base} ${secret}`,
    pixelUrl: base + pixelPath + signed,
    clickUrl: (destination) => base + clickPath + signed + destination,
    destination: (number, url) => signDestination(secret, mail.projectId, number, url),
  };
}
