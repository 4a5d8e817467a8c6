import { Button } from "../../parts/button";
import { NumberField } from "../../parts/number-field";
import { Section } from "../../parts/page";
import { useWords } from "../../words/words";
import type { Draft } from "./draft";

interface CanaryProps {
  canary: Draft["canary"];
  change(canary: Draft["canary"]): void;
}

/** The initial values, all of which can be changed. */
const proposed = { percent: 5, holdMinutes: 60, maxBounceRate: 5, maxComplaintRate: 0.1 };

/**
 * Edits the canary: the share of people who get the mail first, and the limits that must hold before the others get it.
 */
export function Canary({ canary, change }: CanaryProps) {
  const { words } = useWords();
  const own = words.campaignEdit;
  if (canary === null) {
    return (
      <Section title={own.fields.canary}>
        <div className="flex flex-wrap items-center gap-4 p-4">
          <p className="min-w-48 flex-1 text-small text-quiet">{own.canary.advice}</p>
          <Button onClick={() => change(proposed)}>{own.canary.begin}</Button>
        </div>
      </Section>
    );
  }
  const { percent, holdMinutes, maxBounceRate, maxComplaintRate } = canary;
  return (
    <Section
      title={own.fields.canary}
      actions={
        <Button kind="quiet" onClick={() => change(null)}>
          {own.canary.end}
        </Button>
      }
    >
      <div className="grid grid-cols-2 items-end gap-4 p-4">
        <NumberField
          label={own.canary.percent}
          required
          {...{ min: 1, max: 50, value: percent }}
          change={(next) => change({ ...canary, percent: next ?? percent })}
        />
        <NumberField
          label={own.canary.holdMinutes}
          required
          {...{ min: 1, max: 1440, value: holdMinutes }}
          change={(next) => change({ ...canary, holdMinutes: next ?? holdMinutes })}
        />
        <NumberField
          label={own.canary.maxBounceRate}
          placeholder={own.canary.usual}
          {...{ min: 0, max: 100, step: "any", value: maxBounceRate }}
          change={(next) => change({ ...canary, maxBounceRate: next })}
        />
        <NumberField
          label={own.canary.maxComplaintRate}
          placeholder={own.canary.usual}
          {...{ min: 0, max: 100, step: "any", value: maxComplaintRate }}
          change={(next) => change({ ...canary, maxComplaintRate: next })}
        />
        <p className="col-span-2 text-small text-quiet">{own.canary.afterwards}</p>
      </div>
    </Section>
  );
}
