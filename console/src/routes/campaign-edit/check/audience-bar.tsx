import clsx from "clsx";
import { Amount } from "../../../parts/amount";
import { useWords } from "../../../words/words";
import type { PreflightFindings } from "./use-check";

interface Part {
  name: string;
  count: number;
  colour: string;
}

/** Everybody of the audience in one bar, by what becomes of them: the parts add up to the whole. */
export function AudienceBar({ findings }: { findings: PreflightFindings }) {
  const { words, number } = useWords();
  const own = words.campaignEdit;
  const { recipients, willSend, skipped, renderErrors } = findings;
  const broken = renderErrors.reduce((sum, { count }) => sum + count, 0);
  const all: Part[] = [
    { name: own.willSend, count: willSend, colour: "bg-main" },
    ...skipped.map(({ reason, count }) => ({ name: own.skipped[reason], count, colour: "bg-edge" })),
    { name: own.broken, count: broken, colour: "bg-alarm" },
  ];
  const parts = all.filter(({ count }) => count > 0);
  return (
    <figure className="grid gap-3">
      <div
        role="img"
        aria-label={parts.map(({ name, count }) => `${name}: ${number(count)}`).join(", ")}
        className="flex h-4 gap-px overflow-hidden rounded-full bg-quiet-tint"
      >
        {parts.map(({ name, count, colour }) => (
          <div
            key={name}
            className={clsx("h-full min-w-1", colour)}
            style={{ width: `${(100 * count) / recipients}%` }}
          />
        ))}
      </div>
      <figcaption>
        <dl className="grid max-w-md gap-1">
          {parts.map(({ name, count, colour }) => (
            <div key={name} className="flex items-center gap-2">
              <span aria-hidden className={clsx("size-2.5 rounded-full", colour)} />
              <dt className="flex-1">{name}</dt>
              <dd>
                <Amount of={count} />
              </dd>
            </div>
          ))}
          <div className="flex gap-2 border-t border-line pt-1 font-semibold">
            <dt className="flex-1">{own.everybody}</dt>
            <dd>
              <Amount of={recipients} />
            </dd>
          </div>
        </dl>
      </figcaption>
    </figure>
  );
}
