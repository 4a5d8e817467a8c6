import { type ComponentType, lazy } from "react";
import { withPageWords } from "../words/shown";

const key = (error: unknown) => `reloaded for ${error}`;

/**
 * Loads a part of a page. After a deploy its file may no longer exist: the page is then reloaded once, with the current
 * files. The router does the same for parts that are pages. Without a network the page stays, and the part fails.
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    if (sessionStorage.getItem(key(error)) !== null || !(await isServiceThere())) throw error;
    sessionStorage.setItem(key(error), "1");
    location.reload();
    // Nothing is shown until the page has been reloaded.
    return new Promise<never>(() => undefined);
  }
}

async function isServiceThere(): Promise<boolean> {
  return fetch(location.href, { method: "HEAD", cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Returns a component whose file is loaded when it is first shown, together with the texts of pages. */
export function lazily<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await loadPart(withPageWords(load)) }));
}
