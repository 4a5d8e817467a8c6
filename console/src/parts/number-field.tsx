import { type InputHTMLAttributes, useState } from "react";
import { TextField } from "./field";

interface NumberFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "value" | "onChange"> {
  label: string;
  isBare?: boolean;
  value: number | undefined;
  /** Hears of numbers, and of undefined where the field may be empty. An empty field that may not be says nothing. */
  change(value: number | undefined): void;
}

/** A number. While somebody types, the field has what is typed, which need not be one yet. */
export function NumberField({ value, change, required, ...rest }: NumberFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextField
      {...rest}
      type="number"
      required={required}
      value={typed ?? value ?? ""}
      onBlur={() => setTyped(null)}
      onChange={({ target }) => {
        setTyped(target.value);
        if (!Number.isNaN(target.valueAsNumber)) change(target.valueAsNumber);
        else if (!required) change(undefined);
      }}
    />
  );
}
