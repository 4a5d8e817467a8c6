import { clickPath, pixelPath } from "./destination";
import { signDestination, signMail, type TrackedMail } from "./token";
import type { Tracker } from "./track-links";
import type { WrittenLinks } from "./written-links";

/**
 * Opens the tracker of one email, whose tokens are signed with `secret`. If `written` is given, the number of a link is
 * its position in the body before rendering, which is the same for all recipients.
 */
export function openTracker(
  secret: string,
  base: string,
  mail: TrackedMail,
  written: (WrittenLinks & { contentId: string }) | null = null,
): Tracker {
  const signed = signMail(secret, mail);
  return {
    base,
    scope: `${mail.projectId} ${base} ${secret} ${written?.contentId ?? ""}`,
    pixelUrl: base + pixelPath + signed,
    clickUrl: (destination) => base + clickPath + signed + destination,
    destination: (number, url) =>
      signDestination(secret, mail.projectId, written ? written.numberOf(url) : number, url),
  };
}
