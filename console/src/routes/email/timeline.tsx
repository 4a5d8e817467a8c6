import type { EmailWithEvents } from "petrel-client";
import { lengthOf, Time } from "../../parts/time";
import { useWords } from "../../words/words";

interface Moment {
  name: string;
  at: string;
  /** The clicked link, or the provider's text. */
  detail: string | null;
}

/**
 * Shows the events of an email, one below the other. The longer the wait between two events, the larger their distance.
 */
export function Timeline({ email }: { email: EmailWithEvents }) {
  const { words, locale } = useWords();
  const accepted = { name: words.email.accepted, at: email.createdAt, detail: null };
  const happened: Moment[] = email.events
    .map(({ name, at, data }) => ({ name: words.email.events[name] ?? name, at, detail: detailOf(data) }))
    .toSorted((one, other) => one.at.localeCompare(other.at));
  const moments = [accepted, ...happened];
  return (
    <ol className="p-4">
      {moments.map(({ name, at, detail }, place) => {
        const before = moments[place - 1];
        const gapMs = before ? Date.parse(at) - Date.parse(before.at) : 0;
        return (
          <li key={`${at} ${name} ${detail}`}>
            {before && (
              <div
                className="ms-1 flex items-center border-s-2 border-line ps-4 text-small text-quiet"
                style={{ height: heightOf(gapMs) }}
              >
                {words.email.later(lengthOf(gapMs, locale))}
              </div>
            )}
            <div className="flex gap-3">
              <span aria-hidden className="mt-2 size-2.5 shrink-0 rounded-full bg-main" />
              <div className="min-w-0">
                <p className="font-medium">{name}</p>
                <p className="text-small text-quiet">
                  <Time at={at} />
                </p>
                {detail && (
                  <p className="text-small text-quiet">
                    <bdi>{detail}</bdi>
                  </p>
                )}
              </div>
            </div>
          </li>
        );
      })}
      {email.scheduledAt && email.sentAt === null && (
        <li className="mt-3 text-small text-quiet">
          {words.email.scheduled} <Time at={email.scheduledAt} />
        </li>
      )}
      {email.error && (
        <li className="mt-3 rounded-part bg-alarm-tint p-3 text-alarm">
          <bdi>{email.error}</bdi>
        </li>
      )}
    </ol>
  );
}

/** A second and a week must both be visible, so the height is logarithmic. */
function heightOf(gapMs: number): number {
  return 24 + Math.min(96, Math.log10(1 + gapMs / 1000) * 16);
}

function detailOf(data: Record<string, unknown>): string | null {
  const told = data.link ?? data.reason ?? data.message ?? data.bounceType;
  return typeof told === "string" ? told : null;
}
