import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useProject } from "../../../api/project";
import { Checkbox } from "../../../parts/checkbox";
import { Choice } from "../../../parts/choice";
import { Frame } from "../../../parts/frame";
import { Section } from "../../../parts/page";
import { Plain } from "../../../parts/plain";
import { Loading, Refused } from "../../../parts/states";
import { useRested } from "../../../parts/use-rested";
import { useWords } from "../../../words/words";
import type { PreflightFindings } from "../check/use-check";
import type { Draft } from "../draft";
import { PersonStepper } from "./person-stepper";
import { Remarks } from "./remarks";
import { usePeople } from "./use-people";

interface PreviewProps {
  draft: Draft;
  findings: PreflightFindings | null;
  /** The person to show, if one was requested. */
  person: string | null;
  show(person: string): void;
}

const restMs = 400;
const keptMs = 10_000;
const widths = { phone: 390, desk: 700 };
const views = ["phone", "desk", "text"] as const;

/** Shows the mail as one person of the audience would get it, while it is being written. */
export function Preview({ draft, findings, person: asked, show }: PreviewProps) {
  const { words } = useWords();
  const own = words.campaignEdit;
  const { id: project, petrel } = useProject();
  const [view, setView] = useState<(typeof views)[number]>("phone");
  const [isDark, setDark] = useState(false);
  const [withImages, setImages] = useState(false);
  const [variant, setVariant] = useState(0);
  const people = usePeople(draft, findings);
  const person = people.find(({ id }) => id === asked) ?? people[0];
  const chosen = draft.variants?.[variant] ?? draft.variants?.[0];
  const { previewText, type, topicId } = draft;
  const [subject, body] = [chosen?.subject ?? draft.subject, chosen?.body ?? draft.body];
  const content = useMemo(
    () => ({ subject, body, previewText, type, topicId }),
    [subject, body, previewText, type, topicId],
  );
  const rested = useRested(content, restMs);
  const contactId = person?.id;
  const { data, error, refetch } = useQuery({
    queryKey: [project, "preview", contactId, rested],
    queryFn: ({ signal }) =>
      petrel.preview.previewContent({ ...rested, ...(contactId !== undefined && { contactId }) }, { signal }),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    gcTime: keptMs,
  });
  return (
    <Section title={own.preview} actions={<PersonStepper people={people} person={person} show={show} />}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2">
        <Choice
          label={own.preview}
          value={view}
          options={views.map((one) => [one, words.email.views[one]] as const)}
          choose={(next) => setView(next)}
        />
        {draft.variants && (
          <Choice
            label={own.fields.variants}
            value={`${variant}`}
            options={draft.variants.map(({ name }, at) => [`${at}`, name] as const)}
            choose={(at) => setVariant(Number(at))}
          />
        )}
        {view !== "text" && <Checkbox label={words.email.dark} isOn={isDark} turn={setDark} />}
        {view !== "text" && <Checkbox label={words.email.images} isOn={withImages} turn={setImages} />}
      </div>
      {error !== null && <Refused error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <Loading rows={8} />}
      {data && (
        <>
          <p className="border-b border-line px-4 py-2 font-medium">
            <bdi>{data.subject}</bdi>
          </p>
          <Remarks preview={data} />
          {view === "text" ? (
            <Plain text={data.text} />
          ) : (
            <Frame html={data.html} width={widths[view]} isDark={isDark} withImages={withImages} />
          )}
        </>
      )}
    </Section>
  );
}
