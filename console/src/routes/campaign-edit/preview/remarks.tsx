import clsx from "clsx";
import type { ContentPreview } from "petrel-client";
import { useWords } from "../../../words/words";

/** Gmail clips an email at this size. The service warns at the same number. */
const clippedBytes = 102 * 1024;

/** Shows the mail's size, the data that this person lacks, and probable mistakes. */
export function Remarks({ preview: { bytes, missing, warnings } }: { preview: ContentPreview }) {
  const { words, locale } = useWords();
  const own = words.campaignEdit;
  const say = (kilobytes: number) =>
    new Intl.NumberFormat(locale, { style: "unit", unit: "kilobyte", maximumFractionDigits: 1 }).format(kilobytes);
  const share = Math.min(1, bytes / clippedBytes);
  const isTooLarge = bytes > clippedBytes;
  return (
    <div className="grid gap-2 border-b border-line px-4 py-3 text-small">
      <div className="flex items-center gap-3">
        <meter className="sr-only" aria-label={own.size} max={clippedBytes} value={Math.min(bytes, clippedBytes)} />
        <div aria-hidden className="h-1.5 flex-1 overflow-hidden rounded-full bg-quiet-tint">
          <div className={clsx("h-full", isTooLarge ? "bg-alarm" : "bg-main")} style={{ width: `${100 * share}%` }} />
        </div>
        <span className={clsx("whitespace-nowrap", isTooLarge ? "text-alarm" : "text-quiet")}>
          {own.sizeOf(say(bytes / 1024), say(clippedBytes / 1024))}
        </span>
      </div>
      {missing.length > 0 && (
        <p className="text-warn">
          {own.missing}{" "}
          {missing.map((name, at) => (
            <span key={name}>
              {at > 0 && ", "}
              <code className="font-mono">{name}</code>
            </span>
          ))}
        </p>
      )}
      {warnings.length > 0 && (
        <ul className="grid gap-1 text-warn">
          {warnings.map(({ message }) => (
            <li key={message}>
              <bdi>{message}</bdi>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
