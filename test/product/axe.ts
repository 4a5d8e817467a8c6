import axe from "axe-core";
import type { Page } from "playwright-core";

/**
 * What axe finds against the page as it is shown now, by WCAG 2.2 and its best practices: each rule with its elements.
 * Contrast takes most of the time. A page whose colours have been looked at in another test goes without. `within` looks at a
 * part of the page.
 */
export async function axeFindings(page: Page, { contrast = true, within = "html" } = {}): Promise<string[]> {
  // Not as a script of the page, which its policy would refuse.
  await page.evaluate(axe.source);
  return page.evaluate<
    string[]
  >(`axe.run("${within}", { rules: { "color-contrast": { enabled: ${contrast} } } }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 160))))`);
}
