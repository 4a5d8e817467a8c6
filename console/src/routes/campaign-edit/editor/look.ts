import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** Uses the page's colours for both schemes, because its variables reach into the shadow root. */
export const colours = HighlightStyle.define([
  { tag: [tags.tagName, tags.keyword, tags.angleBracket], color: "var(--color-main)" },
  { tag: [tags.attributeName, tags.propertyName], color: "var(--color-warn)" },
  { tag: [tags.attributeValue, tags.string, tags.number], color: "var(--color-good)" },
  { tag: [tags.variableName, tags.brace, tags.operator], color: "var(--color-alarm)" },
  { tag: [tags.comment, tags.documentMeta], color: "var(--color-quiet)" },
]);

export const look = EditorView.theme({
  "&": { height: "100%", color: "var(--color-ink)", fontSize: "0.8125rem" },
  "&.cm-focused": { outline: "2px solid var(--color-main)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.25rem", overflow: "auto" },
  ".cm-content": { caretColor: "var(--color-ink)", padding: "0.75rem 0" },
  ".cm-cursor": { borderLeftColor: "var(--color-ink)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--color-quiet)", border: "none" },
  ".cm-line": { padding: "0 1rem 0 0.5rem" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--color-line)",
  },
  ".cm-matchingBracket": { backgroundColor: "var(--color-hover)", outline: "1px solid var(--color-edge)" },
  ".cm-tooltip": {
    backgroundColor: "var(--color-sheet)",
    color: "var(--color-ink)",
    border: "1px solid var(--color-line)",
    borderRadius: "var(--radius-part)",
  },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--color-main)",
    color: "var(--color-on-main)",
  },
});
