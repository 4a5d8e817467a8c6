import CircleAlert from "lucide-react/icons/circle-alert";
import CircleCheck from "lucide-react/icons/circle-check";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import type { ReactNode } from "react";
import { Button } from "../../../parts/button";
import { useWords } from "../../../words/words";
import type { PreflightFindings } from "./use-check";

interface FindingsProps {
  findings: PreflightFindings;
  /** Shows the mail of a person with a finding. */
  show(person: string): void;
}

/**
 * Shows the faults, each with the number of people it affects: first mail that cannot be rendered, then mail with gaps.
 */
export function Findings({ findings, show }: FindingsProps) {
  const { words } = useWords();
  const own = words.campaignEdit;
  const { renderErrors, missing, clipped, warnings } = findings;
  if (renderErrors.length + missing.length + clipped + warnings.length === 0) {
    return (
      <p className="flex items-center gap-2 text-good">
        <CircleCheck size={18} aria-hidden />
        {own.allWell}
      </p>
    );
  }
  return (
    <ul className="grid gap-2">
      {renderErrors.map(({ message, count, examples }) => (
        <Finding key={message} isBad count={count} person={examples[0]} show={show}>
          <bdi>{message}</bdi>
        </Finding>
      ))}
      {missing.map(({ variable, count, examples }) => (
        <Finding key={variable} count={count} person={examples[0]} show={show}>
          {own.without} <code className="font-mono text-small">{variable}</code>
        </Finding>
      ))}
      {clipped > 0 && <Finding count={clipped}>{own.clipped}</Finding>}
      {warnings.map(({ code, message, count, examples }) => (
        <Finding key={code} count={count}>
          <bdi>{message}</bdi>
          {examples.map((example) => (
            <code key={example} className="block font-mono text-small text-quiet">
              {example}
            </code>
          ))}
        </Finding>
      ))}
    </ul>
  );
}

interface FindingProps {
  isBad?: boolean;
  count: number;
  person?: string | undefined;
  show?: (person: string) => void;
  children: ReactNode;
}

function Finding({ isBad = false, count, person, show, children }: FindingProps) {
  const spoken = useWords();
  const own = spoken.words.campaignEdit;
  const Icon = isBad ? CircleAlert : TriangleAlert;
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1">
      <Icon size={18} aria-hidden className={isBad ? "mt-1 text-alarm" : "mt-1 text-warn"} />
      <span className="min-w-48 flex-1">
        {children} <span className="text-quiet">{own.forPeople(spoken.count(count))}</span>
      </span>
      {person && show && (
        <Button kind="quiet" onClick={() => show(person)}>
          {own.look}
        </Button>
      )}
    </li>
  );
}
