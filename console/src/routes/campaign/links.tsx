import type { Campaign } from "petrel-client";
import { Section } from "../../parts/page";
import { Loading, Refused } from "../../parts/states";
import { useWords } from "../../words/words";
import { useLinks } from "./use-links";

/** Lists the links of the mail, most clicked first, each with its people as a bar. */
export function Links({ id, status }: Pick<Campaign, "id" | "status">) {
  const { words, number, count } = useWords();
  const { data, error, refetch } = useLinks({ id, status });
  const most = Math.max(1, ...(data?.data ?? []).map(({ uniqueClicks }) => uniqueClicks));
  return (
    <Section title={words.campaigns.links}>
      {error !== null && <Refused error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <Loading rows={3} />}
      {data?.data.length === 0 && <p className="p-4 text-quiet">{words.campaigns.noLinks}</p>}
      <ul>
        {data?.data.map(({ url, clicks, uniqueClicks, automatedClicks }) => (
          <li key={url} className="border-b border-line px-4 py-2 last:border-b-0">
            <div className="flex gap-4">
              <bdi className="min-w-0 flex-1">{url}</bdi>
              <span className="shrink-0 text-end">
                <span className="font-semibold">{words.people.count(count(uniqueClicks))}</span>
                <span className="block text-small text-quiet">
                  {words.campaigns.clicks}: {number(clicks)}
                  {automatedClicks > 0 && ` ${words.campaigns.automated(number(automatedClicks))}`}
                </span>
              </span>
            </div>
            <div aria-hidden className="mt-1 h-1.5 rounded-full bg-quiet-tint">
              <div className="h-full rounded-full bg-main" style={{ width: `${(100 * uniqueClicks) / most}%` }} />
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}
