import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Campaign, CampaignStats } from "petrel-client";
import { useEffect } from "react";
import { useProject } from "../../api/project";
import { Page, Section } from "../../parts/page";
import { Loading, Refused } from "../../parts/states";
import { useWords } from "../../words/words";
import { Actions } from "./actions";
import { Ask } from "./ask";
import { Brakes } from "./brakes";
import { Controls } from "./controls";
import { Facts } from "./facts";
import { Funnel } from "./funnel";
import { Hours } from "./hours";
import { Ledger } from "./ledger";
import { Links } from "./links";
import { Mail } from "./mail";
import { Standing } from "./standing";
import { CampaignStatus } from "./status";
import { Variants } from "./variants";
import { isNewer, useWatch } from "./watch";

const route = getRouteApi("/p/$project/campaigns/$campaign");

/** Shows one campaign: its progress, its results, and the possible actions. */
export function CampaignPage() {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const { campaign: id } = route.useParams();
  const {
    data: campaign,
    error,
    refetch,
  } = useQuery({
    queryKey: [project, "campaign", id],
    queryFn: ({ signal }) => petrel.campaigns.get(id, { signal }),
  });
  const watch = useWatch(campaign ?? { id, status: "DRAFT", scheduledFor: null });
  const isOld = campaign !== undefined && watch.data !== undefined && campaign.version < watch.data.version;
  useEffect(() => {
    if (isOld) void refetch();
  }, [isOld, refetch]);
  if (error !== null && campaign === undefined) return <Refused error={error} retry={() => void refetch()} />;
  if (campaign === undefined) return <Loading />;
  // The figures are read more often than the content. Figures of an earlier version are outdated.
  const now = isNewer(watch.data, campaign) ? { ...campaign, ...watch.data } : campaign;
  const isBegun = now.sentAt !== null;
  const isSending = now.status === "SENDING";
  return (
    <Page
      title={campaign.name}
      aside={<CampaignStatus {...now} />}
      actions={<Actions campaign={now} failed={watch.data?.stats.failedCount ?? 0} />}
    >
      <p className="-mt-3 mb-4 truncate text-quiet">
        <Link to="/p/$project/campaigns" params={{ project }} className="link">
          {words.shell.campaigns}
        </Link>{" "}
        › <bdi>{campaign.subject}</bdi>
      </p>
      {watch.error !== null && <Refused error={watch.error} retry={() => void watch.refetch()} />}
      <div className="grid gap-4 pb-16 tablet:pb-0 desk:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid content-start gap-4">
          <Standing campaign={now} watch={watch.data} at={watch.dataUpdatedAt} />
          <Controls campaign={now} />
          {isSending && watch.data && <Brakes watch={watch.data} />}
          {watch.data && isBegun && <Figures campaign={now} stats={watch.data.stats} isSending={isSending} />}
          {isBegun && watch.data?.stats.variants && <Variants of={watch.data.stats.variants} />}
          {isBegun && (
            <>
              <Hours id={id} status={now.status} />
              <Links id={id} status={now.status} />
            </>
          )}
          <Mail campaign={now} stats={isBegun ? watch.data?.stats : undefined} />
        </div>
        <div className="grid content-start gap-4">
          {isBegun && (
            <Section title={words.campaigns.ask}>
              <Ask id={id} />
            </Section>
          )}
          <Section title={words.campaigns.facts}>
            <Facts campaign={now} />
          </Section>
        </div>
      </div>
    </Page>
  );
}

interface FiguresProps {
  campaign: Campaign;
  stats: CampaignStats;
  isSending: boolean;
}

/** While the campaign is being sent, the ledger comes first; afterwards, the funnel does. */
function Figures({ campaign, stats, isSending }: FiguresProps) {
  const ledger = <Ledger campaign={campaign} stats={stats} />;
  return (
    <>
      {isSending && ledger}
      <Funnel id={campaign.id} stats={stats} />
      {!isSending && ledger}
    </>
  );
}
