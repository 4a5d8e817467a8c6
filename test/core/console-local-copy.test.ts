import { beforeEach, describe, expect, it, vi } from "vitest";
import { LocalCopy } from "../../console/src/routes/campaign-edit/local-copy";

/** As a browser has it: its keys are those of the texts. */
function storage(): object {
  const texts: Record<string, string> = Object.create({
    getItem: (name: string) => texts[name] ?? null,
    setItem: (name: string, text: string) => {
      texts[name] = text;
    },
    removeItem: (name: string) => delete texts[name],
  });
  return texts;
}

const open = () => new LocalCopy<{ subject: string }>("ada", "april");
const typed = (subject: string, at = Date.now()) => ({ version: 1, changes: { subject }, at });
const now = Date.now();

describe("the copy of a draft in the browser", () => {
  beforeEach(() => vi.stubGlobal("localStorage", storage()));

  it("is of one tab: what another tab saves or types does not remove it", () => {
    const [first, second] = [open(), open()];
    first.write(typed("first", now));
    second.write(typed("second", now + 1));
    second.remove();
    expect(open().read()).toEqual(typed("first", now));
  });

  it("is brought back once, the newest first, until the service has it", () => {
    open().write(typed("older", now));
    open().write(typed("newer", now + 1));
    expect(open().read()?.changes.subject).toBe("newer");
    const next = open();
    expect(next.read()?.changes.subject).toBe("newer");
    next.remove();
    const last = open();
    expect(last.read()?.changes.subject).toBe("older");
    last.write(typed("older, and more", now + 2));
    last.remove();
    expect(open().read()).toBeNull();
  });

  it("stays when the tab from which it was read has typed more", () => {
    const [typing, reading] = [open(), open()];
    typing.write(typed("some", now));
    reading.read();
    typing.write(typed("some more", now + 1));
    reading.remove();
    expect(open().read()?.changes.subject).toBe("some more");
  });

  it("is nobody else's, and not kept for ever", () => {
    open().write(typed("mine", now));
    expect(new LocalCopy<{ subject: string }>("grace", "april").read()).toBeNull();
    expect(new LocalCopy<{ subject: string }>("ada", "may").read()).toBeNull();
    open().write(typed("of last year", now - 31 * 86_400_000));
    open();
    expect(Object.keys(localStorage)).toHaveLength(1);
  });
});
