import { useQuery } from "@tanstack/react-query";
import type { Campaign } from "petrel-client";
import { useState } from "react";
import { useProject } from "../../api/project";
import { Choice } from "../../parts/choice";
import { Section } from "../../parts/page";
import { Loading, Refused } from "../../parts/states";
import { useWords } from "../../words/words";
import { Bars } from "./bars";
import { type Measure, measures, spansOf } from "./spans";

const lookMs = 15_000;

/** Shows a campaign by hour, or by day once it has lasted long. */
export function Hours({ id, status }: Pick<Campaign, "id" | "status">) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const [chosen, choose] = useState<Measure | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: [project, "campaign hours", id],
    queryFn: ({ signal }) => petrel.campaigns.getTimeline(id, {}, { signal }),
    refetchInterval: status === "SENDING" && lookMs,
  });
  const { isByDay, spans } = spansOf(data?.data ?? []);
  // There are no opens in the first minutes, or without tracking.
  const measure = chosen ?? (spans.some(({ opened }) => opened > 0) ? "opened" : "sent");
  return (
    <Section title={isByDay ? words.campaigns.days : words.campaigns.hours}>
      {error !== null && <Refused error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <Loading rows={3} />}
      {data?.data.length === 0 && <p className="p-4 text-quiet">{words.campaigns.noHours}</p>}
      {spans.length > 0 && (
        <div className="grid gap-3 p-4">
          <Choice
            label={words.campaigns.measure}
            value={measure}
            options={measures.map((one): [Measure, string] => [one, words.campaigns[one]])}
            choose={(next) => choose(next)}
          />
          <Bars spans={spans} measure={measure} isByDay={isByDay} />
        </div>
      )}
    </Section>
  );
}
