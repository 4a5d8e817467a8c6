import { type Id, textOf } from "../ids";
import type { Graph, StepType } from "./step";
import { type NamedTemplate, stepText } from "./step-text";
import type { Trigger } from "./trigger";

/** How each type of step is drawn: the brackets of a node in Mermaid. */
const shapes: Record<StepType, [open: string, close: string]> = {
  TRIGGER: ["([", "])"],
  SEND_EMAIL: ["[", "]"],
  DELAY: ["{{", "}}"],
  WAIT_FOR_EVENT: ["{{", "}}"],
  CONDITION: ["{", "}"],
  WEBHOOK: ["[[", "]]"],
  UPDATE_CONTACT: ["[", "]"],
  EXIT: ["([", "])"],
};

/** What happened at a step. */
interface DrawnCounts {
  entered: number;
  waiting: number;
  branches: { branch: string; count: number }[];
}

/** What is drawn of a workflow, beside its graph. */
export interface Drawn {
  trigger: Trigger;
  /** The templates of its SEND_EMAIL steps, by step. */
  templates: ReadonlyMap<Id, NamedTemplate>;
  counts: ReadonlyMap<Id, DrawnCounts>;
}

const maxTextLength = 80;

/**
 * Draws a workflow as a Mermaid flowchart (https://mermaid.js.org/syntax/flowchart.html): what its steps do, how many
 * executions came to them, how many stand there, and how many took a branch. Steps come in the order in which they were
 * made, so that a text changes with its workflow only.
 */
export function drawDiagram({ steps, transitions }: Graph, { trigger, templates, counts }: Drawn): string {
  const ordered = steps.toSorted((a, b) => (textOf(a.id) < textOf(b.id) ? -1 : 1));
  const nodeOf = new Map(ordered.map(({ id }, place) => [id, `s${place}`]));
  const nodes = ordered.map((step) => {
    const { id, type, name } = step;
    const [open, close] = shapes[type];
    const kind = name === type ? [] : [type];
    const text = stepText(step, trigger, templates.get(id));
    const lines = [label(name), ...kind, ...(text === "" ? [] : [label(text)]), ...countsText(counts.get(id))];
    return `  ${nodeOf.get(id)}${open}"${lines.join("<br>")}"${close}`;
  });
  const ways = transitions
    .toSorted((a, b) => (textOf(a.id) < textOf(b.id) ? -1 : 1))
    .flatMap(({ fromStepId, toStepId, branch }) => {
      const [from, to] = [nodeOf.get(fromStepId), nodeOf.get(toStepId)];
      if (from === undefined || to === undefined) return [];
      if (branch === null) return [`  ${from} --> ${to}`];
      const taken = counts.get(fromStepId)?.branches.find((one) => one.branch === branch)?.count ?? 0;
      return [`  ${from} -->|"${label(branch)}${taken > 0 ? `: ${taken}` : ""}"| ${to}`];
    });
  return `${["flowchart TD", ...nodes, ...ways].join("\n")}\n`;
}

function countsText(counts: DrawnCounts | undefined): string[] {
  const { entered = 0, waiting = 0 } = counts ?? {};
  const texts = [...(entered > 0 ? [`${entered} entered`] : []), ...(waiting > 0 ? [`${waiting} waiting`] : [])];
  return texts.length === 0 ? [] : [texts.join(", ")];
}

/**
 * A text inside quotes. Mermaid reads `#…;` as a character, and other texts partly as HTML and Markdown: `1.` and `-` at
 * the beginning are a list to it.
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
