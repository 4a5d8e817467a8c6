import { autocompletion, closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { html } from "@codemirror/lang-html";
import { liquid } from "@codemirror/lang-liquid";
import { bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { Annotation, Compartment, EditorState, Transaction } from "@codemirror/state";
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import type { FieldList } from "petrel-client";
import { colours, look } from "./look";

interface EditorOptions {
  label: string;
  text: string;
  change(text: string): void;
}

/** Marks a change that the page made, not a person. */
const isGiven = Annotation.define<boolean>();
const language = new Compartment();
const readOnly = new Compartment();

/**
 * Opens an editor. Its styles are constructed sheets in a shadow root, because the page's policy allows no style
 * elements. The tab key leaves the editor, so that keyboard users are not trapped.
 */
export function openEditor(place: HTMLElement, { label, text, change }: EditorOptions): EditorView {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  const state = EditorState.create({
    doc: text,
    extensions: [
      lineNumbers(),
      highlightSpecialChars(),
      history(),
      drawSelection(),
      bracketMatching(),
      closeBrackets(),
      autocompletion(),
      language.of(languageWith([])),
      syntaxHighlighting(colours),
      look,
      EditorView.lineWrapping,
      readOnly.of([]),
      EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "true" }),
      keymap.of([...closeBracketsKeymap, ...historyKeymap, ...defaultKeymap]),
      EditorView.updateListener.of(({ docChanged, state: { doc }, transactions }) => {
        const isTyped = transactions.some((one) => one.docChanged && one.annotation(isGiven) !== true);
        if (docChanged && isTyped) change(doc.toString());
      }),
    ],
  });
  return new EditorView({ state, parent: root, root });
}

/**
 * Replaces the text, unless it is the same. The replacement cannot be undone, because it may be another person's work.
 * Only the differing part is replaced, so that earlier undo steps still fit.
 */
export function replaceText(view: EditorView, text: string): void {
  const before = view.state.doc.toString();
  if (before === text) return;
  const shorter = Math.min(before.length, text.length);
  let from = 0;
  while (from < shorter && before[from] === text[from]) from += 1;
  let same = 0;
  while (same < shorter - from && before.at(-1 - same) === text.at(-1 - same)) same += 1;
  view.dispatch({
    changes: { from, to: before.length - same, insert: text.slice(from, text.length - same) },
    annotations: [isGiven.of(true), Transaction.addToHistory.of(false)],
  });
}

/** Makes the text read-only, or editable again. The cursor and the undo steps stay. */
export function setReadOnly(view: EditorView, isReadOnly: boolean): void {
  view.dispatch({ effects: readOnly.reconfigure(EditorState.readOnly.of(isReadOnly)) });
}

/** Completes the names of the fields that contacts have. */
export function setNames(view: EditorView, fields: FieldList["fields"]): void {
  view.dispatch({ effects: language.reconfigure(languageWith(fields)) });
}

const alwaysThere = ["email", "unsubscribeUrl", "manageUrl", "subscribeUrl"];

function languageWith(fields: FieldList["fields"]) {
  const own = fields.filter(({ isCustom }) => isCustom);
  const variables = [
    ...own.map(({ field, type }) => ({ label: field.replace(/^data\./, ""), type: "variable", detail: type })),
    ...alwaysThere.map((label) => ({ label, type: "variable" })),
  ];
  return liquid({ base: html(), variables });
}
