import type { CampaignStats } from "petrel-client";
import { useState } from "react";
import { Choice } from "../../parts/choice";
import { Section } from "../../parts/page";
import { useWords } from "../../words/words";
import { intervalOf } from "./interval";
import { percent, percentOf } from "./percent";

type Variant = NonNullable<CampaignStats["variants"]>[number];

const measures = ["opened", "clicked", "unsubscribed"] as const;
type Measure = (typeof measures)[number];

/** Shows the variants next to each other, each rate with its range of likely true values. */
export function Variants({ of: variants }: { of: Variant[] }) {
  const { words } = useWords();
  const [measure, choose] = useState<Measure>("opened");
  const ranges = variants.map((variant) => intervalOf(variant[`${measure}Count`], variant.sentCount));
  // The scale ends slightly above the highest range.
  const top = Math.min(1, Math.max(0.01, ...ranges.map(({ high }) => high)) * 1.1);
  return (
    <Section title={words.campaigns.variants}>
      <div className="grid gap-3 p-4">
        <Choice
          label={words.campaigns.measure}
          value={measure}
          options={measures.map((one): [Measure, string] => [one, words.campaigns[one]])}
          choose={(next) => choose(next)}
        />
        <ul className="grid gap-3">
          {variants.map((variant) => (
            <Row key={variant.name} variant={variant} measure={measure} top={top} />
          ))}
        </ul>
        <p className="text-small text-quiet">{words.campaigns.intervals}</p>
      </div>
    </Section>
  );
}

function Row({ variant, measure, top }: { variant: Variant; measure: Measure; top: number }) {
  const { words, number, locale } = useWords();
  const { name, sentCount } = variant;
  const hits = variant[`${measure}Count`];
  const { low, high } = intervalOf(hits, sentCount);
  const place = (rate: number) => `${(100 * Math.min(rate, top)) / top}%`;
  return (
    <li>
      <div className="flex flex-wrap justify-between gap-x-4">
        <bdi className="font-medium">{name}</bdi>
        <span>
          <span className="font-semibold">{percentOf(hits, sentCount, locale)}</span>{" "}
          <span className="text-small text-quiet">
            {words.campaigns.of(number(hits), number(sentCount))},{" "}
            {words.campaigns.interval(percent(low, locale), percent(high, locale))}
          </span>
        </span>
      </div>
      <div aria-hidden className="relative mt-1 h-3 rounded-full bg-quiet-tint">
        <div
          className="absolute h-full rounded-full bg-main opacity-40"
          style={{ insetInlineStart: place(low), width: place(high - low) }}
        />
        <div
          className="absolute h-full w-1 -translate-x-1/2 rounded-full bg-main"
          style={{ insetInlineStart: place(sentCount === 0 ? 0 : hits / sentCount) }}
        />
      </div>
    </li>
  );
}
