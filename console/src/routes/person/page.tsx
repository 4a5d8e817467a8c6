import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useProject } from "../../api/project";
import { Page, Section } from "../../parts/page";
import { Loading, Refused } from "../../parts/states";
import { useWords } from "../../words/words";
import { Subscription } from "../people/subscription";
import { Consent } from "./consent";
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
    <Page
      title={data.email}
      aside={<Subscription contact={data} />}
      actions={
        <Link to="/p/$project/emails" params={{ project }} search={{ contactId: id }} className="link self-center">
          {words.person.mail}
        </Link>
      }
    >
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
          <Section title={words.person.data}>
            <Data data={data.data} />
          </Section>
          <Memberships contactId={id} />
        </div>
      </div>
    </Page>
  );
}

function Data({ data }: { data: Record<string, unknown> }) {
  const { words } = useWords();
  const entries = Object.entries(data);
  if (entries.length === 0) return <p className="p-4 text-quiet">{words.person.noData}</p>;
  return (
    <dl className="grid grid-cols-[minmax(6rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1 p-4">
      {entries.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-quiet">
            <bdi>{name}</bdi>
          </dt>
          <dd>
            <bdi>{typeof value === "string" ? value : JSON.stringify(value)}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}
