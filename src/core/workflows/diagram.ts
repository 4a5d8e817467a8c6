import { type Id, textOf } from "../ids";
import type { Graph, StepType } from "./step";

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

/**
 * Draws a workflow as a Mermaid flowchart (https://mermaid.js.org/syntax/flowchart.html). `waiting` says how many
 * executions stand at a step. Steps come in the order in which they were made, so that a text changes with its workflow
 * only.
 */
export function drawDiagram({ steps, transitions }: Graph, waiting: ReadonlyMap<Id, number>): string {
  const ordered = steps.toSorted((a, b) => (textOf(a.id) < textOf(b.id) ? -1 : 1));
  const nodeOf = new Map(ordered.map(({ id }, place) => [id, `s${place}`]));
  const nodes = ordered.map(({ id, type, name }) => {
    const [open, close] = shapes[type];
    const kind = name === type ? [] : [type];
    const count = waiting.get(id) ?? 0;
    const lines = [label(name), ...kind, ...(count > 0 ? [`${count} waiting`] : [])];
    return `  ${nodeOf.get(id)}${open}"${lines.join("<br>")}"${close}`;
  });
  const ways = transitions
    .toSorted((a, b) => (textOf(a.id) < textOf(b.id) ? -1 : 1))
    .flatMap(({ fromStepId, toStepId, branch }) => {
      const [from, to] = [nodeOf.get(fromStepId), nodeOf.get(toStepId)];
      if (from === undefined || to === undefined) return [];
      return [branch === null ? `  ${from} --> ${to}` : `  ${from} -->|"${label(branch)}"| ${to}`];
    });
  return `${["flowchart TD", ...nodes, ...ways].join("\n")}\n`;
}

/** A text inside quotes. Mermaid reads `#…;` as a character, and other texts partly as HTML and Markdown. */
function label(text: string): string {
  return text.replace(/[^\p{L}\p{N} .,:;!?()+=/@_-]/gu, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    return code < 32 || code === 127 ? " " : `#${code};`;
  });
}
