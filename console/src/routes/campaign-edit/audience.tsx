import { Link } from "@tanstack/react-router";
import { useProject } from "../../api/project";
import { SelectField } from "../../parts/field";
import { Section } from "../../parts/page";
import { useWords } from "../../words/words";
import type { Draft } from "./draft";
import { useLists } from "./use-lists";

interface AudienceProps {
  draft: Draft;
  change(change: Partial<Draft>): void;
}

const types = ["MARKETING", "TRANSACTIONAL", "HEADLESS"] as const;

/** Whom it goes to, and as what. */
export function Audience({ draft, change }: AudienceProps) {
  const { words, number } = useWords();
  const own = words.campaignEdit;
  const { id: project } = useProject();
  const { segments, topics } = useLists();
  const { audienceType, segmentId, topicId, type } = draft;
  const isKnown = segmentId === null || segments.some(({ id }) => id === segmentId);
  return (
    <Section
      title={own.audience}
      actions={
        <Link to="/p/$project/people" params={{ project }} className="link text-small">
          {own.newSegment}
        </Link>
      }
    >
      <div className="grid gap-4 p-4">
        <SelectField
          label={own.to}
          value={segmentId ?? audienceType}
          onChange={({ target }) => change(audienceOf(target.value))}
        >
          <option value="ALL">{own.audiences.ALL}</option>
          {audienceType === "FILTERED" && <option value="FILTERED">{own.audiences.FILTERED}</option>}
          {!isKnown && <option value={segmentId ?? ""}>{own.audiences.SEGMENT}</option>}
          <optgroup label={own.segments}>
            {segments.map(({ id, name, memberCount }) => (
              <option key={id} value={id}>
                {name} ({number(memberCount)})
              </option>
            ))}
          </optgroup>
        </SelectField>
        <div className="grid gap-4 tablet:grid-cols-2">
          <SelectField
            label={own.fields.type}
            value={type}
            onChange={({ target }) => {
              const next = types.find((one) => one === target.value) ?? "MARKETING";
              change({ type: next, ...(next !== "MARKETING" && { topicId: null }) });
            }}
          >
            {types.map((one) => (
              <option key={one} value={one}>
                {own.types[one]}
              </option>
            ))}
          </SelectField>
          {(topics.length > 0 || topicId !== null) && type === "MARKETING" && (
            <SelectField
              label={own.fields.topicId}
              value={topicId ?? ""}
              onChange={({ target }) => change({ topicId: target.value || null })}
            >
              <option value="">{own.noTopic}</option>
              {topics.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </SelectField>
          )}
        </div>
        <p className="text-small text-quiet">{own.typeAdvice[type]}</p>
      </div>
    </Section>
  );
}

function audienceOf(chosen: string): Partial<Draft> {
  if (chosen === "FILTERED") return {};
  const segmentId = chosen === "ALL" ? null : chosen;
  return { segmentId, audienceType: segmentId === null ? "ALL" : "SEGMENT", audienceCondition: null };
}
