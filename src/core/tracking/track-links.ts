import { TextCache } from "../templating/cache";
import { type Framed, filledHtml, isPlainWords, isStable, markForWords } from "../templating/frame";
import { isOwnUrl, webUrlOf } from "./destination";
import { outlineOf, type Slot } from "./outline";
import { maxLinks } from "./token";

/**
 * Makes the URLs of one email. The URLs are plain words (see `isPlainWords`) if `base` is, because only letters,
 * digits, `-` and `_` are added to it.
 */
export interface Tracker {
  /** The base URL of this installation, for the links of the mail. */
  base: string;
  pixelUrl: string;
  /** Returns the tracked URL of a link: the mail's half of the token, followed by the destination's half. */
  clickUrl(destination: string): string;
  /** Returns the destination's half of the token, which all emails of a scope share. */
  destination(number: number, url: string): string;
  /** A string that contains all values on which a destination depends, apart from the link itself. */
  scope: string;
}

/**
 * The plan for a frame (see `Framed`), which is parsed once for all recipients: its links and pixel, and the values
 * that are kept for the next recipient.
 */
interface Plan {
  slots: Slot[];
  /**
   * For the most recent scope, the destination of each slot whose URL contains no values. A destination is null if its
   * link is not tracked.
   */
  fixed: { scope: string; destinations: (string | null)[] };
  /** The tracked frames made from the plan's frame, keyed by which of the links with values are tracked. */
  frames: Map<string, string>;
}

const maxFrames = 20;
const maxPlanBytes = 8_000_000;
const plans = new TextCache<Plan | null>((frame) => frame.length * 6, maxPlanBytes);

/**
 * Tracks the links of a rendered mail, and adds the pixel. If the frame is stable (see `isStable`), it is parsed once
 * for all recipients, and the URLs become additional values. The plain text, which is made from the frame, then has the
 * same links. Otherwise, the HTML itself is parsed, and the result has no frame.
 */
export function withTracking({ output, frame, values }: Framed, tracker: Tracker): Framed {
  const plan = frame === null ? null : plans.getOrMake(frame, () => planOf(frame));
  const tracked = frame === null || plan === null ? null : trackedFrame(frame, plan, values, tracker);
  return tracked ?? { output: trackedHtml(output, tracker), frame: null, values };
}

function planOf(frame: string): Plan | null {
  if (!isStable(frame)) return null;
  return { slots: outlineOf(frame, maxLinks), fixed: { scope: "", destinations: [] }, frames: new Map() };
}

function trackedHtml(html: string, tracker: Tracker): string {
  const slots = outlineOf(html, maxLinks);
  const destinations = slots.map((slot) => destinationOf(slot, tracker));
  return rewritten(html, slots, (slot, index) => urlOf(slot, destinations[index] ?? null, tracker));
}

/** Returns the tracked frame. Null when some of our URLs cannot be written as marks. */
function trackedFrame(frame: string, plan: Plan, values: string[], tracker: Tracker): Framed | null {
  if (!isPlainWords(tracker.base)) return null;
  const { slots } = plan;
  if (plan.fixed.scope !== tracker.scope) {
    plan.fixed = {
      scope: tracker.scope,
      destinations: slots.map((slot) => (hasValues(slot) ? null : destinationOf(slot, tracker))),
    };
  }
  let choices = "";
  const all = [...values];
  const marks = slots.map((slot, index) => {
    const ofValues = hasValues(slot) ? destinationOf({ ...slot, raw: filledHtml(slot.raw, values) }, tracker) : null;
    if (hasValues(slot)) choices += ofValues === null ? "0" : "1";
    const url = urlOf(slot, ofValues ?? plan.fixed.destinations[index] ?? null, tracker);
    return url === null ? null : (markForWords(url, all) ?? "");
  });
  // A URL got no mark, because there are more values than possible marks.
  if (marks.includes("")) return null;
  const known = plan.frames.get(choices);
  const tracked = known ?? rewritten(frame, slots, (_, index) => marks[index] ?? null);
  if (known === undefined && plan.frames.size < maxFrames) plan.frames.set(choices, tracked);
  return { output: filledHtml(tracked, all), frame: tracked, values: all };
}

function hasValues(slot: Slot): slot is Slot & { kind: "link" } {
  return slot.kind === "link" && slot.hasMark;
}

function destinationOf(slot: Slot, tracker: Tracker): string | null {
  // A quick check that finds most of our own URLs without parsing.
  if (slot.kind === "pixel" || isOwnUrl(slot.raw, tracker.base)) return null;
  const url = webUrlOf(slot.raw);
  if (url === null || isOwnUrl(url, tracker.base)) return null;
  return tracker.destination(slot.number, url);
}

/** Returns the tracked URL. Null for a link that is not tracked. */
function urlOf(slot: Slot, destination: string | null, tracker: Tracker): string | null {
  if (slot.kind === "pixel") return tracker.pixelUrl;
  return destination === null ? null : tracker.clickUrl(destination);
}

function rewritten(html: string, slots: Slot[], put: (slot: Slot, index: number) => string | null): string {
  let written = "";
  let done = 0;
  for (const [index, slot] of slots.entries()) {
    const url = put(slot, index);
    if (url === null) continue;
    // Always quoted, because the original value may have no quotes.
    written += html.slice(done, slot.start) + (slot.kind === "pixel" ? pixel(url) : `"${url}"`);
    done = slot.end;
  }
  return written + html.slice(done);
}

/**
 * Returns the pixel, hidden from screen readers. `display:none` is avoided, because some mail programs then do not load
 * the image.
 */
function pixel(url: string): string {
  return `<img src="${url}" alt="" aria-hidden="true" width="1" height="1" style="width:1px;height:1px;border:0">`;
}
