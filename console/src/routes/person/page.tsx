import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useProject } from "../../api/project";
import { Page, Section } from "../../parts/page";
import { Loading, Refused } from "../../parts/states";
import { useWords } from "../../words/words";
import { Subscription } from "../people/subscription";
import { PersonActions } from "./actions";
import { Consent } from "./consent";
import { Data } from "./data";
import { Explain } from "./explain";
import { Future } from "./future";
import { Memberships } from "./memberships";
import { PersonTimeline } from "./timeline";

const route = getRouteApi("/p/$project/people/$person");

/** Shows one person: what happened, what is known, and whether some mail arrived. */
export function PersonPage() {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const { person: id } = route.useParams();
  const { data, error, refetch } = useQuery({
    queryKey: [project, "person", id],
    queryFn: ({ signal }) => petrel.contacts.get(id, { signal }),
  });
  if (error !== null && data === undefined) return <Refused error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  return (
    <Page title={data.email} aside={<Subscription contact={data} />} actions={<PersonActions contact={data} />}>
      <p className="-mt-3 mb-4">
        <Link to="/p/$project/people" params={{ project }} className="link">
          {words.person.back}
        </Link>
      </p>
      <div className="grid gap-4 desk:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid content-start gap-4">
          <Section title={words.person.explain}>
            <Explain contactId={id} />
          </Section>
          <Section title={words.person.ahead}>
            <Future contact={data} />
          </Section>
          <Section title={words.person.timeline}>
            <PersonTimeline contactId={id} />
          </Section>
        </div>
        <div className="grid content-start gap-4">
          <Section title={words.person.consent}>
            <Consent contact={data} />
          </Section>
          <Data contact={data} />
          <Memberships contactId={id} />
        </div>
      </div>
    </Page>
  );
}
