import { Link, type NavigateOptions } from "@tanstack/react-router";
import type { UpcomingActivity } from "petrel-client";
import { useProject } from "../api/project";
import { useFirstWords } from "../words/first";
import { Time } from "./time";

/** Shows scheduled work, one line each, with a link to it. */
export function UpcomingLines({ of: coming }: { of: UpcomingActivity[] }) {
  const { words } = useFirstWords();
  const { id: project } = useProject();
  return (
    <ul>
      {coming.map((one) => (
        <li
          key={`${one.type} ${one.id}`}
          className="relative flex gap-4 border-b border-line px-4 py-2 last:border-b-0 hover:bg-hover"
        >
          <span className="min-w-0 flex-1">
            <Link {...placeOf(one, project)} className="row-link block truncate font-medium text-ink no-underline">
              <bdi>{nameOf(one)}</bdi>
            </Link>
            <span className="text-small text-quiet">
              {words.home.upcomingTypes[one.type]} <bdi>{one.contactEmail}</bdi>
            </span>
          </span>
          <span className="text-small text-quiet">
            <Time at={one.timestamp} isShort />
          </span>
        </li>
      ))}
    </ul>
  );
}

function nameOf({ metadata: { name, workflowName, subject } }: UpcomingActivity): string {
  return [name, workflowName, subject].find((one) => typeof one === "string") ?? "·";
}

/** A workflow has no page yet, so the link leads to the person who waits in it. */
function placeOf({ type, id, contactId }: UpcomingActivity, project: string): NavigateOptions {
  if (type === "campaign.scheduled") {
    return { to: "/p/$project/campaigns/$campaign", params: { project, campaign: id } };
  }
  if (type === "email.scheduled") return { to: "/p/$project/emails/$email", params: { project, email: id } };
  return { to: "/p/$project/people/$person", params: { project, person: contactId ?? "" } };
}
