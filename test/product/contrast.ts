import type { Page } from "playwright-core";

interface Contrast {
  text: string;
  /** As WCAG counts it: from 1 to 21, and 4.5 is needed. */
  ratio: number;
}

/**
 * The contrast of every visible piece of text in a page with what it stands on. A canvas paints the colours one over the
 * other, so that any notation of them counts, and what shines through.
 */
export function contrasts(page: Page): Promise<Contrast[]> {
  return page.evaluate<Contrast[]>(`(() => {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 1;
    const paint = canvas.getContext("2d", { willReadFrequently: true });
    const luminance = (colours) => {
      for (const colour of ["rgb(255, 255, 255)", ...colours]) {
        paint.fillStyle = colour;
        paint.fillRect(0, 0, 1, 1);
      }
      const [r, g, b] = [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3).map((value) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const groundsOf = (element) => {
      const grounds = [];
      for (let at = element; at; at = at.parentElement) grounds.unshift(getComputedStyle(at).backgroundColor);
      return grounds;
    };
    const elements = [...document.body.querySelectorAll("*")].filter((element) =>
      [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "") &&
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
      // Words for screen readers alone are in a box of one pixel.
      element.getBoundingClientRect().width > 1,
    );
    return elements.map((element) => {
      const grounds = groundsOf(element);
      const own = luminance([...grounds, getComputedStyle(element).color]);
      const [a, b] = [own, luminance(grounds)].sort((x, y) => y - x);
      return { text: element.textContent.trim().slice(0, 40), ratio: (a + 0.05) / (b + 0.05) };
    });
  })()`);
}
