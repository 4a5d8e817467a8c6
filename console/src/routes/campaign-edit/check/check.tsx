import type { Campaign } from "petrel-client";
import type { ReactNode } from "react";
import { useMay } from "../../../api/rights";
import { Button } from "../../../parts/button";
import { Section } from "../../../parts/page";
import { Refused } from "../../../parts/states";
import { useWords } from "../../../words/words";
import type { Keeper } from "../keeper";
import { AudienceBar } from "./audience-bar";
import { Findings } from "./findings";
import { Send } from "./send";
import type { Checked } from "./use-check";

interface CheckProps {
  check: Checked;
  campaign: Campaign;
  keeper: Keeper;
  show(person: string): void;
  /** Whether another audience is being chosen. Nothing is then sent to the audience that was checked. */
  isHeld: boolean;
}

/** Leads to sending: a check of every person's mail, its findings, and only then the button that sends. */
export function Check({ check, campaign, keeper, show, isHeld }: CheckProps) {
  const { words } = useWords();
  const own = words.campaignEdit;
  const sends = useMay()("campaigns.send");
  const { findings, sound, progress, error } = check;
  return (
    <Section title={own.checkAndSend}>
      <div className="grid gap-4 p-4">
        {sound === null && (
          <div className="flex flex-wrap items-center gap-4">
            <p className="min-w-48 flex-1 text-quiet" role="status">
              {progress !== null
                ? own.checking(`${Math.round(progress)} %`)
                : check.isStale
                  ? own.stale
                  : own.checkAdvice}
            </p>
            <Button kind="main" isBusy={progress !== null} onClick={check.start}>
              {own.check}
            </Button>
          </div>
        )}
        {check.isUnsaved && <p role="alert">{own.notSaved}</p>}
        {error && <Refused error={error} retry={check.start} />}
        {findings && (
          <Faded isFaded={sound === null}>
            <AudienceBar findings={findings} />
            <Findings findings={findings} show={show} />
          </Faded>
        )}
      </div>
      {sound && sends && isHeld && <p className="border-t border-line p-4 text-quiet">{own.untilCondition}</p>}
      {sound && sends && !isHeld && <Send campaign={campaign} result={sound} check={check} keeper={keeper} />}
      {sound && !sends && <p className="border-t border-line p-4">{own.mayNotSend}</p>}
    </Section>
  );
}

/** Fades findings that are not, or not yet, about the current version. */
function Faded({ isFaded, children }: { isFaded: boolean; children: ReactNode }) {
  return (
    <div aria-hidden={isFaded} inert={isFaded} className={isFaded ? "grid gap-4 opacity-55" : "grid gap-4"}>
      {children}
    </div>
  );
}
