import { Link } from "@tanstack/react-router";
import type { Campaign } from "petrel-client";
import type { Column } from "../../parts/table";
import { Time } from "../../parts/time";
import { useWords } from "../../words/words";
import { Audience } from "../campaign/audience";
import { CampaignStatus } from "../campaign/status";
import { isNewer, useWatch } from "../campaign/watch";
import { Numbers } from "./numbers";

export function useColumns(project: string): Column<Campaign>[] {
  const { words } = useWords();
  return [
    {
      title: words.campaigns.name,
      cell: (campaign) => (
        <>
          <Link
            to="/p/$project/campaigns/$campaign"
            params={{ project, campaign: campaign.id }}
            className="row-link block truncate font-medium text-ink no-underline"
          >
            <bdi>{campaign.name}</bdi>
          </Link>
          <span className="block truncate text-small text-quiet">
            <Audience of={campaign} /> · <bdi>{campaign.subject}</bdi>
          </span>
        </>
      ),
    },
    {
      title: words.campaigns.state,
      className: "w-36",
      cell: (campaign) => <State campaign={campaign} />,
    },
    {
      title: words.campaigns.people,
      from: "tablet",
      className: "w-56",
      cell: (campaign) => <Numbers campaign={campaign} />,
    },
    {
      title: words.campaigns.when,
      from: "desk",
      className: "w-48 text-balance text-quiet",
      cell: (campaign) => <When campaign={campaign} />,
    },
  ];
}

function State({ campaign }: { campaign: Campaign }) {
  const { data } = useWatch(campaign, isMoving(campaign));
  return (
    <>
      <CampaignStatus {...(isNewer(data, campaign) ? data : campaign)} />
      <span className="block truncate text-small text-quiet desk:hidden">
        <When campaign={campaign} />
      </span>
    </>
  );
}

/** Shows when the campaign was or will be sent, or when it was last edited. */
function When({ campaign: { sentAt, scheduledFor, updatedAt } }: { campaign: Campaign }) {
  return <Time at={sentAt ?? scheduledFor ?? updatedAt} isShort />;
}

export function isMoving({ status }: Pick<Campaign, "status">): boolean {
  return status === "SENDING" || status === "SCHEDULED";
}
