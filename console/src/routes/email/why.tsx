import { useQuery } from "@tanstack/react-query";
import type { Email } from "petrel-client";
import { useProject } from "../../api/project";
import { Loading, Refused } from "../../parts/states";
import { Verdict } from "../person/verdict";
import { RetryForecast } from "./retry-forecast";

/** Shows whether the mail reached its reader, and why, in the words of the service. */
export function Why({ email }: { email: Email }) {
  const { id: project, petrel } = useProject();
  const { data, error, refetch } = useQuery({
    queryKey: [project, "why", email.id, email.status],
    queryFn: ({ signal }) => petrel.contacts.explain(email.contactId, { emailId: email.id }, { signal }),
  });
  if (error !== null) return <Refused error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={3} />;
  return (
    <>
      <Verdict of={data} />
      {data.retry && <RetryForecast of={data.retry} />}
    </>
  );
}
