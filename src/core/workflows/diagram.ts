import { type Id, textOf } from "../ids";
import { definitionOf, type Graph } from "./step";
import type { NamedTemplate } from "./steps/definition";
import type { Trigger } from "./trigger";

/** How many executions reached a step, how many are at it, and how many took each of its branches. */
interface DrawnCounts {
  entered: number;
  waiting: number;
  branches: { branch: string; count: number }[];
}

/** The data that a diagram needs in addition to the graph. */
export interface DiagramParts {
  trigger: Trigger;
  /** The template of each step that mails one, by the step's id. */
  templates: ReadonlyMap<Id, NamedTemplate>;
  counts: ReadonlyMap<Id, DrawnCounts>;
}

const maxTextLength = 80;

/**
 * Draws a workflow as a Mermaid flowchart (https://mermaid.js.org/syntax/flowchart.html): what its steps do, how many
 * executions reached them, how many are at them, and how many took each branch. Steps are in the order of their
 * creation, so the text changes only when the workflow does.
 */
export function drawDiagram({ steps, transitions }: Graph, { trigger, templates, counts }: DiagramParts): string {
  const ordered = steps.toSorted((a, b) => (textOf(a.id) < textOf(b.id) ? -1 : 1));
  const nodeOf = new Map(ordered.map(({ id }, index) => [id, `s${index}`]));
  const nodes = ordered.map(({ id, type, name, config }) => {
    const definition = definitionOf(type);
    const [open, close] = definition.shape;
    const kind = name === type ? [] : [type];
    const text = definition.text(config, { trigger, template: templates.get(id) });
    const lines = [label(name), ...kind, ...(text === "" ? [] : [label(text)]), ...countsText(counts.get(id))];
    return `  ${nodeOf.get(id)}${open}"${lines.join("<br>")}"${close}`;
  });
  const edges = transitions
    .toSorted((a, b) => (textOf(a.id) < textOf(b.id) ? -1 : 1))
    .flatMap(({ fromStepId, toStepId, branch }) => {
      const [from, to] = [nodeOf.get(fromStepId), nodeOf.get(toStepId)];
      if (from === undefined || to === undefined) return [];
      if (branch === null) return [`  ${from} --> ${to}`];
      const taken = counts.get(fromStepId)?.branches.find((one) => one.branch === branch)?.count ?? 0;
      return [`  ${from} -->|"${label(branch)}${taken > 0 ? `: ${taken}` : ""}"| ${to}`];
    });
  return `${["flowchart TD", ...nodes, ...edges].join("\n")}\n`;
}

function countsText(counts: DrawnCounts | undefined): string[] {
  const { entered = 0, waiting = 0 } = counts ?? {};
  const texts = [...(entered > 0 ? [`${entered} entered`] : []), ...(waiting > 0 ? [`${waiting} waiting`] : [])];
  return texts.length === 0 ? [] : [texts.join(", ")];
}

/**
 * Escapes a text for use inside quotes. Mermaid reads `#…;` as one character. It would read some texts as HTML or
 * Markdown: a leading `1.` or `-` would start a list.
 */
function label(text: string): string {
  const cut = text.length > maxTextLength ? `${text.slice(0, maxTextLength).toWellFormed()}…` : text;
  return escaped(cut.trim()).replace(/^(?:\d+(?=\.)|)([.+-])/, (start, sign: string) => {
    return `${start.slice(0, -1)}#${sign.charCodeAt(0)};`;
  });
}

function escaped(text: string): string {
  return text.replace(/[^\p{L}\p{N} .,:;!?()+=/@_-]/gu, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    return code < 32 || code === 127 ? " " : `#${code};`;
  });
}
