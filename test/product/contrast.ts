import type { Page } from "playwright-core";

interface Contrast {
  text: string;
  /** As WCAG counts it: from 1 to 21, and 4.5 is needed. */
  ratio: number;
}

/** The contrast of every piece of text in a page with what it stands on. */
export function contrasts(page: Page): Promise<Contrast[]> {
  return page.evaluate<Contrast[]>(`(() => {
    const channels = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
    const luminance = (colour) => {
      const [r, g, b] = channels(colour).map((value) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const groundOf = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const colour = getComputedStyle(at).backgroundColor;
        if (channels(colour)[3] !== 0) return colour;
      }
      return "rgb(255, 255, 255)";
    };
    const elements = [...document.body.querySelectorAll("*")].filter((element) =>
      [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ""),
    );
    return elements.map((element) => {
      const [a, b] = [getComputedStyle(element).color, groundOf(element)].map(luminance).sort((x, y) => y - x);
      return { text: element.textContent.trim().slice(0, 40), ratio: (a + 0.05) / (b + 0.05) };
    });
  })()`);
}
