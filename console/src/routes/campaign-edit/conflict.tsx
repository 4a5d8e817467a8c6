import { useState } from "react";
import { Button } from "../../parts/button";
import { Choice } from "../../parts/choice";
import { Section } from "../../parts/page";
import { useWords } from "../../words/words";
import { Difference } from "./difference";
import type { Draft, Field } from "./draft";
import type { Keeper } from "./keeper";
import type { SaveState } from "./kept";
import { useFasterWords } from "./use-faster-words";
import { useFieldText } from "./use-field-text";

interface ConflictProps {
  draft: Draft;
  state: Extract<SaveState, { is: "conflict" }>;
  keeper: Keeper;
}

/**
 * Shows a conflict between two people's changes: field by field, the difference, and the choice of whose change counts.
 */
export function Conflict({ draft, state: { both, theirs, faster }, keeper }: ConflictProps) {
  const { words } = useWords();
  const own = words.campaignEdit;
  const say = useFasterWords();
  const textOf = useFieldText();
  const [taken, setTaken] = useState<Field[]>([]);
  const sides = [
    ["mine", own.mine],
    ["theirs", own.theirs],
  ] as const;
  return (
    <Section title={own.conflict}>
      <div role="alert" className="px-4 pt-3">
        {say(faster)} {own.conflictAdvice}
      </div>
      <ul className="grid gap-4 p-4">
        {both.map((field) => (
          <li key={field} className="grid gap-2">
            <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
              <h3 className="font-medium">{own.fields[field]}</h3>
              <Choice
                label={own.fields[field]}
                value={taken.includes(field) ? "theirs" : "mine"}
                options={sides}
                choose={(side) =>
                  setTaken(side === "theirs" ? [...taken, field] : taken.filter((one) => one !== field))
                }
              />
            </div>
            <Difference
              from={textOf(field, draft)}
              to={textOf(field, theirs)}
              isLong={field === "body"}
              label={own.difference(own.fields[field])}
            />
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap justify-end gap-2 border-t border-line p-4">
        <Button onClick={() => keeper.settle(both)}>{own.takeTheirs}</Button>
        <Button kind="main" onClick={() => keeper.settle(taken)}>
          {taken.length === 0 ? own.keepMine : own.goOn}
        </Button>
      </div>
    </Section>
  );
}
