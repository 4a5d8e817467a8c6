import { useQuery } from "@tanstack/react-query";
import type { Filter } from "petrel-client";
import { useState } from "react";
import { useProject } from "../../api/project";
import { useWords } from "../../words/words";
import { Button } from "../button";
import { Dialog } from "../dialog";
import { SelectField } from "../field";
import { FilterValue } from "./filter-value";
import { hasValue, hasWindow, type Operator, operatorsOf, typedValue } from "./operators";
import { placeOf, useSubjects } from "./use-subjects";

interface FilterFormProps {
  title: string;
  /** The filter that is changed. Without one, a new one is made. */
  given?: Filter | undefined;
  /** Null when it was given up. */
  done(filter: Filter | null): void;
}

export type Unit = NonNullable<Filter["unit"]>;

/** Asks what is tested, how, and against which value, out of what the project has. */
export function FilterForm({ title, given, done }: FilterFormProps) {
  const { words } = useWords();
  const own = words.conditions;
  const { id: project, petrel } = useProject();
  const [field, setField] = useState(given ? placeOf(given) : "email");
  const [chosen, setOperator] = useState<Operator | null>(given?.operator ?? null);
  const [typed, setTyped] = useState(given?.value === undefined ? "" : `${given.value}`);
  const [unit, setUnit] = useState<Unit>(given?.unit ?? "days");
  const { groups, kindOf } = useSubjects(field);
  const kind = kindOf(field);
  // A program may have written an operator that the form would not offer for this field.
  const isOwn = given !== undefined && field === placeOf(given) && given.operator === chosen;
  const offered = operatorsOf[kind];
  const operators = isOwn && !offered.includes(given.operator) ? [given.operator, ...offered] : offered;
  const operator = chosen !== null && operators.includes(chosen) ? chosen : (operators[0] ?? "exists");
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
          const value = hasValue(operator) ? { value: typedValue(kind, operator, typed) } : {};
          done({ field, operator, ...value, ...(hasWindow(operator) && { unit }) });
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
            isWindow={hasWindow(operator)}
            suggested={data?.values ?? []}
            {...{ typed, unit, type: setTyped, choose: setUnit }}
          />
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={() => done(null)}>{words.cancel}</Button>
          <Button type="submit" kind="main">
            {own.apply}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
