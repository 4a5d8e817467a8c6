import { type ComponentType, lazy } from "react";
import { withPageWords } from "../words/shown";

const key = (error: unknown) => `reloaded for ${error}`;

/**
 * Loads a part of a page. After a deploy its file may be gone: then the page is loaded anew, once, with the files of now.
 * The router does the same with the parts that are pages.
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    if (sessionStorage.getItem(key(error)) !== null) throw error;
    sessionStorage.setItem(key(error), "1");
    location.reload();
    // Nothing is shown until the page is there again.
    return new Promise<never>(() => undefined);
  }
}

/** A component whose file is loaded when it is first shown, beside the texts of pages. */
export function lazily<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await loadPart(withPageWords(load)) }));
}
