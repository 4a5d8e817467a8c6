import { type RefObject, useEffect } from "react";

/** Lets `j` and `k` move through the links of a list's rows. Enter opens the focused link, as usual. */
export function useRowKeys(body: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    function move(event: KeyboardEvent) {
      const step = event.key === "j" ? 1 : event.key === "k" ? -1 : 0;
      if (step === 0 || isTyping(event) || body.current === null) return;
      const links = [...body.current.querySelectorAll<HTMLElement>(".row-link")];
      const here = links.indexOf(document.activeElement as HTMLElement);
      const next = here === -1 ? links[0] : links[here + step];
      next?.focus();
      next?.scrollIntoView({ block: "nearest" });
    }
    document.addEventListener("keydown", move);
    return () => document.removeEventListener("keydown", move);
  }, [body]);
}

/** Whether a key press belongs to a field, or to a shortcut of the browser. */
export function isTyping({ target, metaKey, ctrlKey, altKey }: KeyboardEvent): boolean {
  const isField = target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
  return isField || metaKey || ctrlKey || altKey;
}
