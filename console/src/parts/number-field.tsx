import { type InputHTMLAttributes, useState } from "react";
import { TextField } from "./field";

interface NumberFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "value" | "onChange"> {
  label: string;
  isBare?: boolean;
  value: number | undefined;
  /** Called with a number, or with undefined if the field may be empty. An empty required field causes no call. */
  change(value: number | undefined): void;
}

/** Shows a number field. While a person types, the field contains the typed text, which may not be a number yet. */
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
