import { useId } from "react";
import { useWords } from "../../words/words";
import { SelectField, TextField } from "../field";
import type { Kind } from "./operators";
import type { Unit } from "./written-filter";

interface FilterValueProps {
  kind: Kind;
  isNumber: boolean;
  isWindow: boolean;
  /** Values that some people have. */
  suggested: readonly unknown[];
  typed: string;
  unit: Unit;
  type(text: string): void;
  choose(unit: Unit): void;
}

const units = ["days", "hours", "minutes"] as const;

/** Asks for the value of a filter: yes or no, a length of time, a number or a text. */
export function FilterValue({ kind, isNumber, isWindow, suggested, typed, unit, type, choose }: FilterValueProps) {
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
  const value = (
    <TextField
      label={own.value}
      required
      dir="auto"
      list={list}
      // The browser refuses values that are not numbers, and accepts the decimal sign of its own language.
      {...(isNumber && { type: "number", step: "any" })}
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
