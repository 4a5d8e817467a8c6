import { useQuery } from "@tanstack/react-query";
import { useProject } from "../../api/project";
import { useMay } from "../../api/rights";
import { Amount } from "../../parts/amount";
import { Page } from "../../parts/page";
import { Empty, Loading, OnlyReading, Refused } from "../../parts/states";
import { useWords } from "../../words/words";
import { AddDomain } from "./add-domain";
import { DomainCard } from "./domain-card";

/** DNS usually takes minutes. A page that stays open longer asks less often, and finally not at all. */
function waitingMs(reads: number): number | false {
  if (reads < 60) return 10_000;
  return reads < 120 && 60_000;
}

/** Lists the domains that mail is sent from, each with the records that its DNS needs. */
export function DomainsPage() {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const may = useMay();
  const { data, error, refetch } = useQuery({
    queryKey: [project, "domains"],
    queryFn: ({ signal }) => petrel.domains.list({ signal }),
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === "PENDING") && waitingMs(state.dataUpdateCount),
  });
  return (
    <Page title={words.shell.domains} aside={data && <Amount of={data.length} />}>
      <div className="grid gap-4">
        {may("domains.add") ? <AddDomain /> : <OnlyReading />}
        {error !== null && <Refused error={error} retry={() => void refetch()} />}
        {error === null && data === undefined && <Loading />}
        {data?.length === 0 && (
          <div className="sheet">
            <Empty title={words.domains.none}>{words.domains.noneAdvice}</Empty>
          </div>
        )}
        {data?.map((domain) => (
          <DomainCard key={domain.id} domain={domain} />
        ))}
      </div>
    </Page>
  );
}
