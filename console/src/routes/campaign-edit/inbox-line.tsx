import { useWords } from "../../words/words";

interface InboxLineProps {
  from: string;
  subject: string;
  text: string;
}

/** Shows an email as an inbox on a phone lists it, cut off at the end of the line. */
export function InboxLine({ from, subject, text }: InboxLineProps) {
  const { words } = useWords();
  return (
    <figure className="min-w-0 rounded-box border border-line bg-ground p-3">
      <figcaption className="sr-only">{words.campaignEdit.inbox}</figcaption>
      <div className="flex items-center gap-3">
        <span
          aria-hidden
          className="grid size-9 shrink-0 place-items-center rounded-full bg-main font-semibold text-on-main uppercase"
        >
          {[...from.trim()][0] ?? "·"}
        </span>
        <div className="min-w-0 flex-1">
          <bdi className="block truncate font-semibold">{from || "·"}</bdi>
          <p className="truncate text-small">
            <bdi>{subject || "·"}</bdi>
            <bdi className="text-quiet">{text && ` – ${text}`}</bdi>
          </p>
        </div>
      </div>
    </figure>
  );
}
