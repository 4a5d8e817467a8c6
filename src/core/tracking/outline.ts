import { eachTag } from "../html/tags";
import { hasMark } from "../templating/frame";

/** A link of an HTML mail that may be tracked. */
export interface LinkSlot {
  kind: "link";
  /** The start and end of the value of its `href`, including the quotes. */
  start: number;
  end: number;
  /** The value as written, without quotes. */
  raw: string;
  /** Whether the value contains a mark in place of a recipient's value (see `Framed`). */
  hasMark: boolean;
  /** The position of the link among those of its mail, from 1. */
  number: number;
}

/** The position of the pixel: before the end of the body, and before any element that would swallow what follows. */
export interface PixelSlot {
  kind: "pixel";
  start: number;
  end: number;
}

export type Slot = LinkSlot | PixelSlot;

const linkElements = new Set(["a", "area"]);

/** Finds the parts of an HTML mail that tracking changes, in order. */
export function outlineOf(html: string, maxLinks: number): Slot[] {
  const links: LinkSlot[] = [];
  const lastEndTags = new Map<string, number>();
  let number = 0;
  const end = eachTag(html, linkElements, ({ name, isEnd, start, attributes }) => {
    if (isEnd && (name === "body" || name === "html")) lastEndTags.set(name, start);
    const href = attributes.get("href") ?? null;
    if (href === null) return;
    number += 1;
    if (number > maxLinks || attributes.has("data-no-track")) return;
    links.push({ kind: "link", number, hasMark: hasMark(href.raw), ...href });
  });
  const pixelAt = lastEndTags.get("body") ?? lastEndTags.get("html") ?? end;
  const pixel: PixelSlot = { kind: "pixel", start: pixelAt, end: pixelAt };
  return [...links, pixel].sort((one, other) => one.start - other.start);
}
