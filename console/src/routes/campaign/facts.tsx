import { Link } from "@tanstack/react-router";
import type { Campaign } from "petrel-client";
import type { ReactNode } from "react";
import { useProject } from "../../api/project";
import { CopyButton } from "../../parts/copy";
import { Time } from "../../parts/time";
import { useWords } from "../../words/words";
import { Audience } from "./audience";
import { Conditions } from "./conditions";
import { percent } from "./percent";

/** Describes a campaign: its subject, sender and audience. */
export function Facts({ campaign }: { campaign: Campaign }) {
  const { words, locale } = useWords();
  const { id: project } = useProject();
  const { id, from, fromName, subject, type, audienceCondition, canary, sentAt, completedAt } = campaign;
  const facts: [label: string, value: ReactNode][] = [
    [words.campaigns.subject, <bdi key="subject">{subject}</bdi>],
    [words.campaigns.sender, <bdi key="sender">{fromName ? `${fromName} <${from}>` : from}</bdi>],
    [
      words.campaigns.audienceLabel,
      <div key="audience">
        <Audience of={campaign} />
        {audienceCondition !== null && <Conditions of={audienceCondition} />}
      </div>,
    ],
    [words.campaignEdit.fields.canary, canary && percent(canary.percent / 100, locale)],
    [words.campaigns.kind, words.campaigns.kinds[type]],
    [words.campaigns.sentAt, sentAt && <Time key="sent" at={sentAt} />],
    [words.campaigns.completedAt, completedAt && <Time key="completed" at={completedAt} />],
  ];
  return (
    <dl className="grid grid-cols-[fit-content(8rem)_minmax(0,1fr)] gap-x-3 gap-y-1 p-4 text-small">
      {facts.map(
        ([label, value]) =>
          value && (
            <div key={label} className="contents">
              <dt className="text-quiet">{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
      {sentAt && (
        <>
          <dt className="text-quiet">{words.shell.emails}</dt>
          <dd>
            <Link to="/p/$project/emails" params={{ project }} search={{ campaignId: id }} className="link">
              {words.campaigns.mail}
            </Link>
          </dd>
        </>
      )}
      <dt className="self-center text-quiet">{words.email.id}</dt>
      <dd className="flex items-center font-mono">
        <span className="min-w-0 truncate">{id}</span>
        <CopyButton text={id} of={words.email.id} />
      </dd>
    </dl>
  );
}
