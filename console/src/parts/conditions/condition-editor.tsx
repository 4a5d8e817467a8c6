import { useWords } from "../../words/words";
import { Choice } from "../choice";
import { type Condition, countFilters, withAlternative, withGroup } from "./condition";
import { AddFilter, Filters } from "./filters";

interface ConditionEditorProps {
  condition: Condition;
  /** Null when nothing of the condition is left. */
  change(condition: Condition | null): void;
  /** Whether the last filter can be removed. False where a condition is required. */
  mayEnd?: boolean;
  /** The whole condition, when this one is nested inside it. */
  basis?: Condition;
}

/** Edits a condition: groups of filters that must all hold, of which any or all must match, and nested conditions. */
export function ConditionEditor({ condition, change, mayEnd = false, basis = condition }: ConditionEditorProps) {
  const { words } = useWords();
  const own = words.conditions;
  const { logic, groups } = condition;
  const logics = [
    ["OR", own.or],
    ["AND", own.and],
  ] as const;
  return (
    <div className="grid gap-2">
      {groups.map((group, at) => (
        // A group is identified by its index, because its filters may be equal to those of another.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={at} className="grid gap-2">
          {at === 1 && (
            <div className="justify-self-start">
              <Choice
                label={own.logic}
                value={logic}
                options={logics}
                choose={(next) => change({ ...condition, logic: next })}
              />
            </div>
          )}
          {at > 1 && <p className="px-4 text-small text-quiet">{logic === "OR" ? own.or : own.and}</p>}
          <div className="flex flex-wrap items-center gap-2 rounded-part border border-line p-2">
            <Filters
              basis={basis}
              filters={group.filters}
              isRemovable={mayEnd || countFilters(condition) > 1}
              change={(filters) => change(withGroup(condition, at, { ...group, filters }))}
            />
            {group.conditions && (
              <div className="basis-full">
                <p className="px-2 pb-2 text-small text-quiet">{own.and}</p>
                <ConditionEditor
                  basis={basis}
                  mayEnd={mayEnd || countFilters(condition) > countFilters(group.conditions)}
                  condition={group.conditions}
                  change={(conditions) => change(withGroup(condition, at, { ...group, conditions }))}
                />
              </div>
            )}
          </div>
        </div>
      ))}
      <div>
        <AddFilter
          label={own.addGroup}
          isQuiet
          basis={basis}
          add={(filter) => change(withAlternative(condition, filter))}
        />
      </div>
    </div>
  );
}
