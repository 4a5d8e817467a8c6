import { closestTo } from "./closest";
import type { FieldFault } from "./errors";

/** Limits on the names that are compared, because more or longer names would take too long. */
const maxCompared = 50;
const maxExtraLetters = 2;

/**
 * Adds, to the fault of each missing field, the name that was probably sent instead. `unknown` contains the paths of
 * unknown fields, such as `attachments.0.contenttype`.
 */
export function nameMisspelt(faults: FieldFault[], unknown: readonly string[]): FieldFault[] {
  if (unknown.length === 0) return faults;
  const sent = unknown.slice(0, maxCompared).map(splitPath);
  return faults.map((fault) => {
    if (fault.code !== "required") return fault;
    const { at, name } = splitPath(fault.field);
    const candidates = sent.filter((one) => one.at === at && one.name.length <= name.length + maxExtraLetters);
    const written = closestTo(
      name,
      candidates.map((one) => one.name),
    );
    if (written === null) return fault;
    return { ...fault, message: `${fault.message}. You sent ${written}, probably for ${name}.` };
  });
}

function splitPath(path: string): { at: string; name: string } {
  const end = path.lastIndexOf(".") + 1;
  return { at: path.slice(0, end), name: path.slice(end) };
}
