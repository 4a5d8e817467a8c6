export interface ClickMark {
  /** The value of the link's attribute, which may contain anything. */
  href: string;
  text: string;
  /** From 0 to 1, relative to the most clicked link. */
  heat: number;
}

const badge = [
  "display:inline-block",
  "position:static",
  "margin:0 0 0 6px",
  "padding:1px 7px",
  "border-radius:99px",
  "background:#0f5666",
  "color:#fff",
  "font:600 11px/16px system-ui,sans-serif",
  "letter-spacing:0",
  "text-decoration:none",
  "text-transform:none",
  "text-shadow:none",
  "text-indent:0",
  "white-space:nowrap",
  "vertical-align:middle",
  "visibility:visible",
  "opacity:1",
];
const important = (rules: string[]) => rules.map((rule) => `${rule}!important`).join(";");

/**
 * Shows clicks on the links of an email by styles only: the mail stays unchanged, and is not parsed. A mark follows its
 * link, whose outline is stronger the more often it was clicked.
 */
export function clickStyles(marks: ClickMark[]): string {
  const rules = marks.map(({ href, text, heat }) => {
    const link = `a[href=${cssString(href)}]`;
    const outline = [`outline:2px solid rgb(15 86 102/${Math.round(20 + 80 * heat)}%)`, "outline-offset:2px"];
    return `${link}{${important(outline)}}${link}::after{${important([...badge, `content:${cssString(text)}`])}}`;
  });
  return `<style>${rules.join("")}</style>`;
}

/**
 * Returns a string in CSS. Characters other than letters and digits are written by number, so that they can end neither
 * the string nor the element.
 */
function cssString(text: string): string {
  // NUL has no number in CSS, and cannot occur in an attribute.
  const escaped = text.replace(/[^a-z0-9]/giu, (sign) => `\\${(sign.codePointAt(0) || 0xfffd).toString(16)} `);
  return `"${escaped}"`;
}
