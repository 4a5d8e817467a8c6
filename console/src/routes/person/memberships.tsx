import { useQuery } from "@tanstack/react-query";
import { useProject } from "../../api/project";
import { Section } from "../../parts/page";
import { Loading, Refused } from "../../parts/states";
import { Time } from "../../parts/time";
import { useWords } from "../../words/words";

interface Membership {
  id: string;
  name: string;
  detail?: string;
  since: string | null;
}

/** Lists the segments of the person, and the workflows that the person went through. */
export function Memberships({ contactId }: { contactId: string }) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const segments = useQuery({
    queryKey: [project, "person", contactId, "segments"],
    queryFn: ({ signal }) => petrel.contacts.listSegments(contactId, { signal }),
    select: ({ data }) => data.map(({ id, name, since }): Membership => ({ id, name, since })),
  });
  const workflows = useQuery({
    queryKey: [project, "person", contactId, "executions"],
    queryFn: ({ signal }) => petrel.contacts.listExecutions(contactId, { limit: 20 }, { signal }),
    select: ({ data }) =>
      data.map(({ id, workflowName, currentStepName, status, startedAt }): Membership => {
        const detail = currentStepName === null ? status : `${status} · ${currentStepName}`;
        return { id, name: workflowName ?? "·", detail, since: startedAt };
      }),
  });
  return (
    <>
      <Section title={words.person.segments}>
        <Lines of={segments} none={words.person.noSegments} />
      </Section>
      <Section title={words.person.workflows}>
        <Lines of={workflows} none={words.person.noWorkflows} />
      </Section>
    </>
  );
}

interface LinesProps {
  of: { data: Membership[] | undefined; error: Error | null; refetch(): unknown };
  none: string;
}

function Lines({ of: { data, error, refetch }, none }: LinesProps) {
  const { words } = useWords();
  if (error !== null) return <Refused error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={2} />;
  if (data.length === 0) return <p className="p-4 text-quiet">{none}</p>;
  return (
    <ul className="grid gap-2 p-4">
      {data.map(({ id, name, detail, since }) => (
        <li key={id}>
          <bdi>{name}</bdi>
          <span className="block text-small text-quiet">
            {detail && <bdi>{detail} · </bdi>}
            {since && (
              <>
                {words.since} <Time at={since} />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
