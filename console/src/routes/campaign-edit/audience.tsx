import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useProject } from "../../api/project";
import { conditionOf } from "../../parts/conditions/condition";
import { ConditionEditor } from "../../parts/conditions/condition-editor";
import { AddFilter } from "../../parts/conditions/filters";
import { SelectField } from "../../parts/field";
import { Section } from "../../parts/page";
import { useWords } from "../../words/words";
import { AudienceCount } from "./audience-count";
import type { Draft } from "./draft";
import { useLists } from "./use-lists";

interface AudienceProps {
  draft: Draft;
  change(change: Partial<Draft>): void;
  /** Whether the form asks for a condition. The audience changes once the condition has a filter. */
  isAsking: boolean;
  ask(isAsking: boolean): void;
}

const types = ["MARKETING", "TRANSACTIONAL", "HEADLESS"] as const;

/** Edits to whom the campaign goes, and as which type of mail. */
export function Audience({ draft, change, isAsking, ask }: AudienceProps) {
  const { words, number } = useWords();
  const own = words.campaignEdit;
  const { id: project } = useProject();
  const { segments, topics } = useLists();
  const { audienceType, segmentId, audienceCondition, topicId, type } = draft;
  const [last, setLast] = useState(audienceCondition);
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
          value={isAsking ? "FILTERED" : (segmentId ?? audienceType)}
          onChange={({ target }) => {
            ask(target.value === "FILTERED" && last === null);
            if (audienceCondition !== null) setLast(audienceCondition);
            const next = audienceOf(target.value, last);
            if (next !== null) change(next);
          }}
        >
          <option value="ALL">{own.audiences.ALL}</option>
          <option value="FILTERED">{own.audiences.FILTERED}</option>
          {!isKnown && <option value={segmentId ?? ""}>{own.audiences.SEGMENT}</option>}
          <optgroup label={own.segments}>
            {segments.map(({ id, name, memberCount }) => (
              <option key={id} value={id}>
                {name} ({number(memberCount)})
              </option>
            ))}
          </optgroup>
        </SelectField>
        {isAsking && (
          <div className="flex flex-wrap items-center gap-3">
            <AddFilter
              label={words.conditions.addFilter}
              basis={[audienceType, segmentId, audienceCondition]}
              leave={() => ask(false)}
              add={(filter) => {
                ask(false);
                change({ audienceType: "FILTERED", segmentId: null, audienceCondition: conditionOf([filter]) });
              }}
            />
            <p className="min-w-48 flex-1 text-small text-quiet">{own.untilCondition}</p>
          </div>
        )}
        {!isAsking && audienceCondition !== null && (
          <ConditionEditor
            condition={audienceCondition}
            change={(next) => next !== null && change({ audienceCondition: next })}
          />
        )}
        <AudienceCount audience={draft} />
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

/** Returns the chosen audience; null when it still lacks its condition. */
function audienceOf(chosen: string, last: Draft["audienceCondition"]): Partial<Draft> | null {
  if (chosen === "FILTERED") {
    return last === null ? null : { audienceType: "FILTERED", segmentId: null, audienceCondition: last };
  }
  const segmentId = chosen === "ALL" ? null : chosen;
  return { segmentId, audienceType: segmentId === null ? "ALL" : "SEGMENT", audienceCondition: null };
}
