import { useQuery } from "@tanstack/react-query";
import { useProject } from "../../../api/project";
import type { PreflightFindings } from "../check/use-check";
import type { Draft } from "../draft";

export interface PreviewPerson {
  id: string;
  /** The number of findings of the check that name this person. */
  faults: number;
}

const most = 25;

/**
 * Returns some people of the audience. People whose mail has faults, as far as it was checked, come first, with the
 * worst first.
 */
export function usePeople(draft: Draft, findings: PreflightFindings | null): PreviewPerson[] {
  const { id: project, petrel } = useProject();
  const { audienceType, segmentId, audienceCondition } = draft;
  const { data } = useQuery({
    queryKey: [project, "audience", audienceType, segmentId, audienceCondition],
    queryFn: async ({ signal }) => {
      if (segmentId !== null)
        return (await petrel.segments.listContacts(segmentId, { pageSize: most }, { signal })).data;
      const condition = audienceCondition === null ? {} : { condition: audienceCondition };
      return (await petrel.contacts.query({ ...condition, limit: most }, { signal })).data;
    },
  });
  const faults = faultsOf(findings);
  const worst = [...faults].toSorted(([, one], [, other]) => other - one).map(([id, count]) => ({ id, faults: count }));
  const others = (data ?? []).filter(({ id }) => !faults.has(id)).map(({ id }) => ({ id, faults: 0 }));
  return [...worst, ...others];
}

/** An email that cannot be rendered is worse than any mail that lacks something. */
const unwritten = 1_000;

function faultsOf(findings: PreflightFindings | null): Map<string, number> {
  const faults = new Map<string, number>();
  const note = (ids: string[], weight: number) => {
    for (const id of ids) faults.set(id, (faults.get(id) ?? 0) + weight);
  };
  for (const { examples } of findings?.renderErrors ?? []) note(examples, unwritten);
  for (const { examples } of findings?.missing ?? []) note(examples, 1);
  return faults;
}
