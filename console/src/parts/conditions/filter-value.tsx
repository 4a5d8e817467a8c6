import { useId } from "react";
import { useWords } from "../../words/words";
import { SelectField, TextField } from "../field";
import type { Unit } from "./filter-form";
import type { Kind } from "./operators";

interface FilterValueProps {
  kind: Kind;
  isWindow: boolean;
  /** Values that some people have. */
  suggested: readonly unknown[];
  typed: string;
  unit: Unit;
  type(text: string): void;
  choose(unit: Unit): void;
}

const units = ["days", "hours", "minutes"] as const;

/** The value of a filter: yes or no, a length of time, a number or a text. */
export function FilterValue({ kind, isWindow, suggested, typed, unit, type, choose }: FilterValueProps) {
  const { words } = useWords();
  const own = words.conditions;
  const list = useId();
  if (kind === "boolean" || kind === "topic") {
    return (
      <SelectField
        label={kind === "topic" ? own.operator : own.value}
        value={typed === "false" ? "false" : "true"}
        onChange={({ target }) => type(target.value)}
      >
        <option value="true">{kind === "topic" ? own.inTopic : own.yes}</option>
        <option value="false">{kind === "topic" ? own.notInTopic : own.no}</option>
      </SelectField>
    );
  }
  const isNumber = kind === "number" || isWindow;
  const value = (
    <TextField
      label={own.value}
      required
      dir="auto"
      list={list}
      inputMode={isNumber ? "decimal" : "text"}
      value={typed}
      onChange={({ target }) => type(target.value)}
    />
  );
  if (isWindow) {
    return (
      <div className="grid grid-cols-2 gap-4">
        {value}
        <SelectField
          label={own.unit}
          value={unit}
          onChange={({ target }) => choose(units.find((one) => one === target.value) ?? "days")}
        >
          {units.map((one) => (
            <option key={one} value={one}>
              {own.units[one]}
            </option>
          ))}
        </SelectField>
      </div>
    );
  }
  return (
    <>
      {value}
      <datalist id={list}>
        {suggested.map((one) => (
          <option key={`${one}`} value={`${one}`} />
        ))}
      </datalist>
    </>
  );
}
