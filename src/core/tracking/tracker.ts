import { clickPath, pixelPath } from "./destination";
import { signDestination, signMail, type TrackedMail } from "./token";
import type { Tracker } from "./track-links";

/** The tracker of one mail, whose tokens are signed with `secret`. */
export function openTracker(secret: string, base: string, mail: TrackedMail): Tracker {
  let clicks: string | null = null;
  return {
    base,
    scope: `${mail.projectId} ${base} ${secret}`,
    pixelUrl: () => base + pixelPath + signMail(secret, "open", mail),
    clickUrl(destination) {
      clicks ??= base + clickPath + signMail(secret, "click", mail);
      return clicks + destination;
    },
    destination: (number, url) => signDestination(secret, mail.projectId, number, url),
  };
}
