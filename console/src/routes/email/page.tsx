import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Email } from "petrel-client";
import { useMovement } from "../../api/movement";
import { useProject } from "../../api/project";
import { Page, Section } from "../../parts/page";
import { Loading, Refused } from "../../parts/states";
import { useWords } from "../../words/words";
import { EmailStatus } from "../emails/status";
import { Actions } from "./actions";
import { Content } from "./content";
import { Facts } from "./facts";
import { Timeline } from "./timeline";
import { Why } from "./why";

const route = getRouteApi("/p/$project/emails/$email");

/** Shows one email: what happened to it, why, and how its reader saw it. */
export function EmailPage() {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const { email: id } = route.useParams();
  const {
    data: email,
    error,
    refetch,
  } = useQuery({
    queryKey: [project, "email", id],
    queryFn: ({ signal }) => petrel.emails.get(id, { signal }),
    // Another person's cancel or retry is neither mail nor an event, so the mail is polled.
    refetchInterval: ({ state: { data } }) => data !== undefined && isUnderWay(data.status) && rereadMs,
  });
  useMovement(email !== undefined && lookMs(email.status), () => void refetch());
  if (error !== null && email === undefined) return <Refused error={error} retry={() => void refetch()} />;
  if (email === undefined) return <Loading />;
  return (
    <Page
      title={email.subject || "·"}
      aside={<EmailStatus status={email.status} />}
      actions={<Actions email={email} />}
    >
      <p className="-mt-3 mb-4 text-quiet">
        <Link to="/p/$project/emails" params={{ project }} className="link">
          {words.email.back}
        </Link>{" "}
        ›{" "}
        <Link to="/p/$project/people/$person" params={{ project, person: email.contactId }} className="link">
          <bdi>{email.to}</bdi>
        </Link>
      </p>
      <div className="grid gap-4 desk:grid-cols-[20rem_minmax(0,1fr)]">
        <div className="grid content-start gap-4">
          <Section title={words.email.happened}>
            <Timeline email={email} />
          </Section>
          <Section title={words.email.why}>
            <Why email={email} />
            <Facts email={email} />
          </Section>
        </div>
        <Content id={id} from={email} />
      </div>
    </Page>
  );
}

/** The state only changes by itself while the mail is under way. */
const rereadMs = 20_000;

function isUnderWay(status: Email["status"]): boolean {
  return status === "QUEUED" || status === "SENDING";
}

function lookMs(status: Email["status"]): number | false {
  if (isUnderWay(status)) return 2_000;
  return status === "SENT" || status === "DELIVERED" || status === "OPENED" ? 15_000 : false;
}
