import { storedId } from "./as-seen";
import { isOver, type StepRow } from "./workflow-model-rows";
import type { View } from "./workflow-model-view";

export function statusFaults({ name, status }: StepRow, statuses: string[]): string[] {
  return statuses.includes(status) ? [] : [`${name} is ${status}, and not ${statuses.join(" or ")}`];
}

export function checkUpdate(view: View, step: StepRow): string[] {
  const faults: string[] = [];
  const mayBeGone = view.contacts(...view.spanOf(step)).includes(null);
  faults.push(...statusFaults(step, mayBeGone ? ["COMPLETED", "SKIPPED"] : ["COMPLETED"]));
  return faults;
}

/** Whoever is subscribed gets the mail, and everybody what is transactional. */
export function checkMail(view: View, step: StepRow): string[] {
  const faults: string[] = [];
  const people = view.contacts(...view.spanOf(step));
  const { transactional } = view.play.drawing.templates;
  const isTransactional = view
    .graphs(...view.spanOf(step))
    .some(({ steps }) => steps.get(step.step_id)?.templateId === storedId(transactional));
  const may = people.some((person) => person !== null && (isTransactional || person.subscribed));
  const mayNot = people.some((person) => person === null || !(isTransactional || person.subscribed));
  faults.push(...statusFaults(step, [...(may ? ["COMPLETED"] : []), ...(mayNot ? ["SKIPPED"] : [])]));
  return faults;
}

/** What came of a call is what was answered. */
export function checkCall(view: View, step: StepRow): string[] {
  const faults: string[] = [];
  const answers = view.play.endpoints.of(view.row.id, step.step_id);
  const { statusCode, success } = JSON.parse(step.output ?? "{}");
  if (step.status === "COMPLETED" && !view.isErased()) {
    const fits = answers.some(
      ({ status }) => status === statusCode && success === status < 300 && !isTriedAgain(status),
    );
    if (!fits) faults.push(`${step.name} says ${statusCode}, which nobody answered`);
  } else if (step.status === "FAILED") {
    if (answers.filter(({ status }) => isTriedAgain(status)).length < 3)
      faults.push(`${step.name} failed before its third try`);
  } else if (step.status === "SKIPPED") {
    if (!view.contacts(...view.spanOf(step)).includes(null)) faults.push(`${step.name} is skipped`);
  } else if (!isOver(view.row)) faults.push(`${step.name} is ${step.status}`);
  const isSure = !view.play.hasKilledConsumer && view.play.shards.deaths === 0;
  if (isSure && step.completed_at !== null && !view.isErased()) {
    const last = answers.findIndex(({ status }) => !isTriedAgain(status));
    const expected = last < 0 ? 3 : Math.min(3, last + 1);
    if (answers.length !== expected) faults.push(`${step.name} made ${answers.length} calls, and not ${expected}`);
  }
  return faults;
}

function isTriedAgain(status: number): boolean {
  return status === 0 || status === 429 || status >= 500;
}
