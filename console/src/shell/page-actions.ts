import type { Option } from "./find";

const controls =
  "#main :is(button, a.action, label:has(> :is([type=radio], [type=checkbox]))):not(:disabled, .row-link)";

/**
 * Returns the buttons and choices of the open page, so that the palette reaches each action without a list of its own.
 */
export function pageActions(): Option[] {
  const named = new Map<string, HTMLElement>();
  for (const control of document.querySelectorAll<HTMLElement>(controls)) {
    const name = (control.getAttribute("aria-label") ?? control.textContent).trim();
    const isOffered = name !== "" && control.closest("dialog") === null && control.checkVisibility();
    if (isOffered && !named.has(name)) named.set(name, control);
  }
  return [...named].map(([name, control]) => ({ id: `press ${name}`, name, press: () => press(control) }));
}

function press(control: HTMLElement): void {
  control.scrollIntoView({ block: "center" });
  control.focus();
  control.click();
}
