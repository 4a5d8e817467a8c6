import clsx from "clsx";
import { useWords } from "../words/words";
import { Amount } from "./amount";

export interface Share {
  name: string;
  count: number;
  colour: string;
}

interface ShareBarProps {
  parts: Share[];
  /** The name of the sum of the parts. */
  whole: string;
  isApproximate?: boolean;
}

/** Shows a whole as one bar, divided into its parts, with their sum. Empty parts are left out. */
export function ShareBar({ parts: all, whole, isApproximate = false }: ShareBarProps) {
  const { number } = useWords();
  const parts = all.filter(({ count }) => count > 0);
  const sum = parts.reduce((total, { count }) => total + count, 0);
  return (
    <figure className="grid max-w-2xl gap-3">
      <div
        role="img"
        aria-label={[...parts, { name: whole, count: sum }]
          .map(({ name, count }) => `${name}: ${number(count)}`)
          .join(", ")}
        className="flex h-4 gap-px overflow-hidden rounded-full bg-quiet-tint"
      >
        {parts.map(({ name, count, colour }) => (
          <div key={name} className={clsx("h-full min-w-1", colour)} style={{ width: `${(100 * count) / sum}%` }} />
        ))}
      </div>
      <figcaption>
        <dl className="grid gap-1">
          {parts.map(({ name, count, colour }) => (
            <div key={name} className="flex items-center gap-2">
              <span aria-hidden className={clsx("size-2.5 shrink-0 rounded-full", colour)} />
              <dt className="flex-1">{name}</dt>
              <dd>
                <Amount of={count} isApproximate={isApproximate} />
              </dd>
            </div>
          ))}
          <div className="flex gap-2 border-t border-line pt-1 font-semibold">
            <dt className="flex-1">{whole}</dt>
            <dd>
              <Amount of={sum} isApproximate={isApproximate} />
            </dd>
          </div>
        </dl>
      </figcaption>
    </figure>
  );
}
