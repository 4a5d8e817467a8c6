import clsx from "clsx";
import type { CampaignWatch } from "petrel-client";
import { Section } from "../../parts/page";
import { useWords } from "../../words/words";
import { percent } from "./percent";

type Brake = CampaignWatch["brakes"]["project"];

/** Shows how close the campaign is to the rates that stop it. */
export function Brakes({ watch: { brakes, stats } }: { watch: CampaignWatch }) {
  const { words, count } = useWords();
  const { canary, project } = brakes;
  const isJudged = project.emails !== null;
  const alone = { ...project, bounceRate: stats.bounceRate, complaintRate: stats.complaintRate };
  return (
    <Section title={words.campaigns.brake}>
      <div className="grid gap-4 p-4 tablet:grid-cols-2 tablet:gap-8 *:only:col-span-full">
        {canary && <Needles of={canary} title={words.campaigns.ofCanary(count(canary.emails ?? 0))} />}
        <Needles
          of={isJudged ? project : alone}
          title={isJudged ? words.campaigns.ofProject(count(project.emails ?? 0)) : words.campaigns.ofFew}
        />
      </div>
    </Section>
  );
}

function Needles({ of, title }: { of: Brake; title: string }) {
  const { words } = useWords();
  return (
    <div className="grid content-start gap-2">
      <p className="text-small text-quiet">{title}</p>
      <Needle label={words.campaigns.bounces} rate={of.bounceRate ?? 0} most={of.maxBounceRate} />
      <Needle label={words.campaigns.complaints} rate={of.complaintRate ?? 0} most={of.maxComplaintRate} />
    </div>
  );
}

/** The part of a limit from which it is highlighted. */
const near = 0.5;

function Needle({ label, rate, most }: { label: string; rate: number; most: number | null }) {
  const { words, locale } = useWords();
  if (most === null) return null;
  const part = most === 0 ? Number(rate > 0) : Math.min(1, rate / most);
  const said = words.campaigns.limit(percent(rate / 100, locale, 2), percent(most / 100, locale, 2));
  return (
    <div>
      <div className="flex justify-between gap-2 text-small">
        <span>{label}</span>
        <span className="text-quiet">{said}</span>
      </div>
      <meter className="sr-only" aria-label={label} aria-valuetext={said} max={most} value={Math.min(rate, most)} />
      <div aria-hidden className="mt-1 h-2 border-e-2 border-alarm bg-quiet-tint">
        <div
          className={clsx("h-full min-w-0.5", part < near ? "bg-good" : part < 1 ? "bg-warn" : "bg-alarm")}
          style={{ width: `${100 * part}%` }}
        />
      </div>
    </div>
  );
}
