import { useQuery } from "@tanstack/react-query";
import type { Filter } from "petrel-client";
import { useId, useRef, useState } from "react";
import { useProject } from "../../api/project";
import { Button } from "../../parts/button";
import { SelectField, TextField } from "../../parts/field";
import { useWords } from "../../words/words";
import { type FieldType, hasValue, type Operator, operatorsOf, typedValue } from "./operators";

/** A condition of three parts, whose fields are those that the project's people have. */
export function AddFilter({ add }: { add(filter: Filter): void }) {
  const { words } = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <Button onClick={() => dialog.current?.showModal()}>{words.people.addFilter}</Button>
      <dialog ref={dialog} aria-label={words.people.addFilter} className="sheet w-[min(24rem,calc(100vw-2rem))] p-6">
        <Form
          done={(filter) => {
            dialog.current?.close();
            if (filter) add(filter);
          }}
        />
      </dialog>
    </>
  );
}

function Form({ done }: { done(filter: Filter | null): void }) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const [field, setField] = useState("email");
  const [chosen, setOperator] = useState<Operator | null>(null);
  const [typed, setTyped] = useState("");
  const { data } = useQuery({
    queryKey: [project, "fields"],
    queryFn: ({ signal }) => petrel.contacts.listFields({ signal }),
  });
  const fields = data?.fields ?? [];
  const type = fields.find((one) => one.field === field)?.type ?? "string";
  const operators = operatorsOf[type];
  const operator = chosen !== null && operators.includes(chosen) ? chosen : (operators[0] ?? "exists");

  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        done(filterOf(field, operator, type, typed));
        setTyped("");
      }}
    >
      <SelectField label={words.people.field} value={field} onChange={({ target }) => setField(target.value)}>
        {fields.map((one) => (
          <option key={one.field} value={one.field}>
            {one.field.replace(/^data\./, "")}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={words.people.operator}
        value={operator}
        onChange={({ target }) => setOperator(operators.find((one) => one === target.value) ?? null)}
      >
        {operators.map((one) => (
          <option key={one} value={one}>
            {words.people.operators[one]}
          </option>
        ))}
      </SelectField>
      {hasValue(operator) && <Value field={field} type={type} typed={typed} change={setTyped} />}
      <div className="flex justify-end gap-2">
        <Button onClick={() => done(null)}>{words.cancel}</Button>
        <Button type="submit" kind="main">
          {words.people.apply}
        </Button>
      </div>
    </form>
  );
}

function filterOf(field: string, operator: Operator, type: FieldType, typed: string): Filter {
  if (!hasValue(operator)) return { field, operator };
  const unit = operator === "within" || operator === "olderThan" ? { unit: "days" as const } : {};
  return { field, operator, value: typedValue(type, typed), ...unit };
}

interface ValueProps {
  field: string;
  type: FieldType;
  typed: string;
  change(text: string): void;
}

function Value({ field, type, typed, change }: ValueProps) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const list = useId();
  const { data } = useQuery({
    queryKey: [project, "values", field],
    enabled: type === "string" && field !== "email",
    queryFn: ({ signal }) => petrel.contacts.listFieldValues(field, { limit: 100 }, { signal }),
  });
  if (type === "boolean") {
    return (
      <SelectField label={words.people.value} value={typed || "false"} onChange={({ target }) => change(target.value)}>
        <option value="true">{words.people.yes}</option>
        <option value="false">{words.people.no}</option>
      </SelectField>
    );
  }
  return (
    <>
      <TextField
        label={words.people.value}
        required
        list={list}
        inputMode={type === "string" ? "text" : "decimal"}
        value={typed}
        onChange={({ target }) => change(target.value)}
      />
      <datalist id={list}>
        {data?.values.map((value) => (
          <option key={`${value}`} value={`${value}`} />
        ))}
      </datalist>
    </>
  );
}
