import { useQuery } from "@tanstack/react-query";
import X from "lucide-react/icons/x";
import { useProject } from "../../api/project";
import { useWords } from "../../words/words";
import type { EmailFilters } from "./filters";

interface NarrowedProps {
  filters: EmailFilters;
  set(change: Record<string, string>): void;
}

/** Shows filters that come from a link and have no field. Each describes itself, and can be removed. */
export function Narrowed({ filters: { campaignId, countedAs }, set }: NarrowedProps) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const { data: campaign } = useQuery({
    queryKey: [project, "campaign", campaignId],
    enabled: campaignId !== undefined,
    queryFn: ({ signal }) => petrel.campaigns.get(campaignId ?? "", { signal }),
  });
  const shown = [
    ["campaignId", campaignId && `${words.email.campaign}: ${campaign?.name ?? campaignId}`],
    ["countedAs", countedAs && `${words.emails.countedAs}: ${words.emails.counted[countedAs] ?? countedAs}`],
  ].filter((one): one is [string, string] => one[1] !== undefined);
  if (shown.length === 0) return null;
  return (
    <ul className="col-span-full flex flex-wrap gap-2">
      {shown.map(([name, text]) => (
        <li
          key={name}
          className="inline-flex min-h-9 max-w-full items-center gap-1 rounded-full bg-quiet-tint ps-3 text-small"
        >
          <bdi>{text}</bdi>
          <button
            type="button"
            aria-label={words.conditions.removeFilter(text)}
            className="grid size-8 shrink-0 place-items-center rounded-full text-quiet hover:bg-hover hover:text-ink"
            onClick={() => set({ [name]: "" })}
          >
            <X size={14} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
}
