import { useQuery } from "@tanstack/react-query";
import type { Filter } from "petrel-client";
import { useState } from "react";
import { useProject } from "../../api/project";
import { useWords } from "../../words/words";
import { Button } from "../button";
import { Dialog } from "../dialog";
import { SelectField } from "../field";
import { Refused } from "../states";
import { FilterValue } from "./filter-value";
import { hasValue, hasWindow, type Operator } from "./operators";
import { useSubjects } from "./use-subjects";
import { isNumeric, kindOf, opened, operatorsFor, type Unit, writtenFilter } from "./written-filter";

interface FilterFormProps {
  title: string;
  /** The filter to change. Without one, a new filter is created. */
  given?: Filter | undefined;
  /**
   * The conditions that will contain the filter. If another person changes them meanwhile, the filter cannot be
   * applied.
   */
  basis: unknown;
  /** Null when the form was cancelled. */
  done(filter: Filter | null): void;
}

/** Asks for a filter's subject, operator and value, with choices from the project. */
export function FilterForm({ title, given, basis, done }: FilterFormProps) {
  const { words } = useWords();
  const own = words.conditions;
  const { id: project, petrel } = useProject();
  const [begun] = useState(() => (given ? opened(given) : null));
  const [field, setField] = useState(begun?.field ?? "email");
  const [chosen, setOperator] = useState<Operator | null>(begun?.operator ?? null);
  const [typed, setTyped] = useState(begun?.typed ?? "");
  const [unit, setUnit] = useState<Unit>(begun?.unit ?? "days");
  const { groups, typeOf, isRead, failed } = useSubjects(field);
  const kind = kindOf(field, typeOf(field), given);
  const operators = operatorsFor(field, kind, given);
  const operator = chosen !== null && operators.includes(chosen) ? chosen : (operators[0] ?? "exists");
  const [before] = useState(() => JSON.stringify(basis));
  const isOutdated = JSON.stringify(basis) !== before;
  const { data } = useQuery({
    queryKey: [project, "values", field],
    enabled: kind === "string" && field !== "email",
    queryFn: ({ signal }) => petrel.contacts.listFieldValues(field, { limit: 100 }, { signal }),
  });

  return (
    <Dialog title={title} onClose={() => done(null)}>
      <form
        className="mt-4 grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          done(writtenFilter({ field, operator, typed, unit }, kind, given));
        }}
      >
        <SelectField label={own.field} value={field} onChange={({ target }) => setField(target.value)}>
          {groups.map(({ label, subjects }) => (
            <optgroup key={label} label={label}>
              {subjects.map(({ name, shown }) => (
                <option key={name} value={name}>
                  {shown}
                </option>
              ))}
            </optgroup>
          ))}
        </SelectField>
        {kind !== "topic" && (
          <SelectField
            label={own.operator}
            value={operator}
            onChange={({ target }) => setOperator(operators.find((one) => one === target.value) ?? null)}
          >
            {operators.map((one) => (
              <option key={one} value={one}>
                {own.operators[one]}
              </option>
            ))}
          </SelectField>
        )}
        {hasValue(operator) && (
          <FilterValue
            kind={kind}
            isNumber={isNumeric(kind, operator)}
            isWindow={hasWindow(operator)}
            suggested={data?.values ?? []}
            {...{ typed, unit, type: setTyped, choose: setUnit }}
          />
        )}
        {failed && <Refused {...failed} />}
        {isOutdated && <p role="alert">{own.outdated}</p>}
        <div className="flex justify-end gap-2">
          <Button onClick={() => done(null)}>{words.cancel}</Button>
          <Button type="submit" kind="main" disabled={!isRead || isOutdated}>
            {own.apply}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
