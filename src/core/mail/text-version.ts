import type { Budget } from "../templating/budget";
import { TextCache } from "../templating/cache";
import { type Framed, filled, isStable } from "../templating/frame";
import { type Link, plainText, plainTextOfFrame } from "./plain-text";

interface Version {
  text: string;
  links: Link[];
}

/**
 * The measured cost of making the text, per character of HTML, in units of CPU (see `core/cpu.ts`), rounded up. It
 * includes all other work that reads the HTML when nothing is cached.
 */
const unitsPerCharacter = 30;

const maxCacheBytes = 4_000_000;
const versions = new TextCache<Version | null>((frame) => frame.length * 4, maxCacheBytes);

/**
 * Returns the plain text of a rendered HTML mail. The text of the mail's frame (see `Framed`) is made once, and the
 * values are filled in. When a value could change how the surrounding HTML is read, the text is made from the whole
 * HTML instead.
 */
export function textVersion({ output, frame, values }: Framed, budget?: Budget): string {
  const version = frame === null ? null : versionOf(frame, budget);
  if (version === null || version.links.some((link) => dependsOnValues(link, values))) {
    budget?.note(output.length * unitsPerCharacter);
    return plainText(output);
  }
  return filled(version.text, values);
}

function versionOf(frame: string, budget: Budget | undefined): Version | null {
  return versions.getOrMake(frame, () => {
    if (!isStable(frame)) return null;
    budget?.note(frame.length * unitsPerCharacter);
    return plainTextOfFrame(frame);
  });
}

/**
 * Whether the text version of a link depends on values: the text of a link is left out when it equals the URL, and some
 * URLs are not shown.
 */
function dependsOnValues({ text, url }: Link, values: string[]): boolean {
  const whole = filled(url, values);
  return whole.startsWith("#") || whole.startsWith("mailto:") || whole === filled(text, values).replaceAll(" ", "");
}
