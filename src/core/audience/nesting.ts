import type { FieldFault } from "../errors";
import { type FilterCondition, filtersOf, maxDepth, maxFilters, type SegmentSource } from "./condition";

/** The size of a condition in which each named segment is replaced by its own condition. */
interface Size {
  filters: number;
  depth: number;
}

type SizeResult = Size | "unknown" | "circular";

/**
 * Finds faults in the segments that a condition names: a segment is unknown or contains itself, or the condition is too
 * large together with its segments. `at` is the path of the condition in its request. `ownId` is the segment that will
 * have the condition. When a segment is changed, the function is also called for the segments that name it.
 */
export function nestingFaults(
  condition: FilterCondition,
  segments: (id: string) => SegmentSource | undefined,
  { at, ownId }: { at: string; ownId?: string },
): FieldFault[] {
  const sizes = new Map<string, SizeResult>(ownId === undefined ? [] : [[ownId, "circular"]]);

  function sizeOfSegment(id: string): SizeResult {
    const known = sizes.get(id);
    if (known !== undefined) return known;
    sizes.set(id, "circular"); // replaced below, once the segment is measured
    const source = segments(id);
    const size = source === undefined ? "unknown" : source === "members" ? { filters: 1, depth: 0 } : sizeOf(source);
    sizes.set(id, size);
    return size;
  }

  function sizeOf(inner: FilterCondition): SizeResult {
    const whole = { filters: 0, depth: 1 };
    for (const { test, depth } of filtersOf(inner)) {
      const size = test.kind === "segment" ? sizeOfSegment(test.id) : { filters: 1, depth: 0 };
      if (typeof size === "string") return size;
      whole.filters += size.filters;
      whole.depth = Math.max(whole.depth, depth + size.depth);
    }
    return whole;
  }

  const faults = [...filtersOf(condition)].flatMap(({ test, path }): FieldFault[] => {
    if (test.kind !== "segment") return [];
    const { id, namedIn } = test;
    const size = sizeOfSegment(id);
    if (typeof size !== "string") return [];
    const message =
      size === "unknown"
        ? `No segment ${id} in this project`
        : `Segment ${id} contains itself, directly or through other segments`;
    return [{ field: `${at}.${path}.${namedIn}`, code: "custom", message, received: id }];
  });
  const whole = sizeOf(condition);
  if (typeof whole === "string") return faults;
  if (whole.filters <= maxFilters && whole.depth <= maxDepth) return faults;
  const message =
    "Together with the segments it names, this condition is too large: " +
    `${whole.filters} of at most ${maxFilters} filters, ${whole.depth} of at most ${maxDepth} levels`;
  return [{ field: at, code: "too_big", message }];
}
