import axe from "axe-core/axe.min.js?raw";
import type { CDPSession, Page } from "playwright-core";

const sessions = new WeakMap<Page, Promise<CDPSession>>();

/**
 * What axe finds against the page as it is shown now, by WCAG 2.2 and its best practices: each rule with its elements.
 * Contrast takes most of the time. A page whose colours have been looked at in another test goes without, and one of which
 * all else has been looked at needs it `only`. `within` looks at a part of the page.
 */
export async function axeFindings(
  page: Page,
  { contrast = true, within = "html" }: { contrast?: boolean | "only"; within?: string } = {},
): Promise<string[]> {
  await bringAxe(page);
  const options = {
    // Of what is well, nothing is said; and no element needs an address.
    resultTypes: ["violations"],
    selectors: false,
    // What a frame shows is not ours.
    iframes: false,
    ...(contrast === "only" ? { runOnly: ["color-contrast"] } : { rules: { "color-contrast": { enabled: contrast } } }),
  };
  return page.evaluate<string[]>(`axe.run("${within}", ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 160))))`);
}

/** Not as a script of the page, which its policy would refuse; nor by `page.evaluate`, which takes twice as long. */
async function bringAxe(page: Page): Promise<void> {
  if (await page.evaluate<boolean>("typeof axe === 'object'")) return;
  const opened = sessions.get(page) ?? page.context().newCDPSession(page);
  sessions.set(page, opened);
  const session = await opened;
  const { exceptionDetails } = await session.send("Runtime.evaluate", { expression: axe });
  if (exceptionDetails) throw new Error(exceptionDetails.text);
}
