import { closestTo } from "./closest";
import type { FieldFault } from "./errors";

/** More names, and longer ones, would take too long to compare. */
const mostCompared = 50;
const mostLonger = 2;

/**
 * Says of each missing field which one beside it was probably meant to be it. `unknown` are the fields that nobody reads,
 * by their paths, such as `attachments.0.contenttype`.
 */
export function nameMisspelt(faults: FieldFault[], unknown: readonly string[]): FieldFault[] {
  if (unknown.length === 0) return faults;
  const sent = unknown.slice(0, mostCompared).map(placeOf);
  return faults.map((fault) => {
    if (fault.code !== "required") return fault;
    const { at, name } = placeOf(fault.field);
    const beside = sent.filter((one) => one.at === at && one.name.length <= name.length + mostLonger);
    const written = closestTo(
      name,
      beside.map((one) => one.name),
    );
    if (written === null) return fault;
    return { ...fault, message: `${fault.message}. You sent ${written}, probably for ${name}.` };
  });
}

function placeOf(path: string): { at: string; name: string } {
  const end = path.lastIndexOf(".") + 1;
  return { at: path.slice(0, end), name: path.slice(end) };
}
