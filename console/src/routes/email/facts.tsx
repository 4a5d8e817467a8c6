import { Link } from "@tanstack/react-router";
import type { Email } from "petrel-client";
import { useProject } from "../../api/project";
import { CopyButton } from "../../parts/copy";
import { useWords } from "../../words/words";

/** Shows the facts of the record except its times. Each id links to the other mail that has it. */
export function Facts({ email }: { email: Email }) {
  const { words, number } = useWords();
  const { id: project } = useProject();
  const facts: [label: string, text: string | null, filter?: "templateId" | "campaignId"][] = [
    [words.emails.source, words.source[email.source]],
    [words.email.sender, email.fromName ? `${email.fromName} <${email.from}>` : email.from],
    [words.email.template, email.templateId, "templateId"],
    [words.email.campaign, email.campaignId, "campaignId"],
    [words.email.execution, email.workflowExecutionId],
    [words.email.provider, email.provider],
    [words.email.attempts, number(email.attempts)],
  ];
  return (
    <dl className="grid grid-cols-[fit-content(8rem)_minmax(0,1fr)] gap-x-3 gap-y-1 border-t border-line p-4 text-small">
      {facts.map(
        ([label, text, filter]) =>
          text !== null && (
            <div key={label} className="contents">
              <dt className="text-quiet">{label}</dt>
              <dd>
                {filter ? (
                  <Link to="/p/$project/emails" params={{ project }} search={{ [filter]: text }} className="link">
                    {text}
                  </Link>
                ) : (
                  <bdi>{text}</bdi>
                )}
              </dd>
            </div>
          ),
      )}
      <dt className="self-center text-quiet">{words.email.id}</dt>
      <dd className="flex items-center font-mono">
        <span className="min-w-0 truncate">{email.id}</span>
        <CopyButton text={email.id} of={words.email.id} />
      </dd>
    </dl>
  );
}
