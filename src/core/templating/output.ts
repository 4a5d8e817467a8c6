import { type Emitter, toValue } from "liquidjs";
import type { Budget } from "./budget";
import { RenderLimitError } from "./errors";
import type { FrameBuilder } from "./frame";

const MAX_CHARACTERS = 2_000_000;

/** Collects a template's output, up to a limit, and its frame (see `Framed`) when one is requested. */
export class CappedEmitter implements Emitter {
  buffer = "";

  constructor(
    private readonly budget: Budget,
    private readonly framing?: FrameBuilder,
  ) {}

  write(value: unknown): void {
    const text = printed(value, this.budget);
    this.framing?.addValue(text);
    this.append(text);
  }

  /** Writes text of the template itself. */
  writeSource(text: string): void {
    this.framing?.addSource(text);
    this.append(text);
  }

  private append(text: string): void {
    this.budget.charge(text.length / 10);
    this.buffer += text;
    if (this.buffer.length > MAX_CHARACTERS) {
      throw new RenderLimitError(
        `The rendered text is longer than ${MAX_CHARACTERS} characters. Shorten the template, or print less data in it.`,
      );
    }
  }
}

/** Returns the printed text of a value: nothing for null, ISO for dates, JSON for objects. */
export function printed(value: unknown, budget: Budget): string {
  const plain: unknown = toValue(value);
  if (typeof plain === "string") return plain;
  if (plain === undefined || plain === null) return "";
  if (typeof plain !== "object") return String(plain);
  if (plain instanceof Date) return Number.isNaN(plain.getTime()) ? "" : plain.toISOString();
  budget.chargeReading(plain);
  return Array.isArray(plain) ? plain.map((element) => printed(element, budget)).join("") : JSON.stringify(plain);
}
