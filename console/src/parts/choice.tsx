import clsx from "clsx";
import { useId } from "react";

interface ChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly (readonly [value: Value, label: string])[];
  choose(value: Value): void;
}

/** Shows a few options next to each other as radio buttons, so that the arrow keys move through them. */
export function Choice<Value extends string>({ label, value, options, choose }: ChoiceProps<Value>) {
  const name = useId();
  return (
    <fieldset className="flex w-fit max-w-full flex-wrap rounded-part bg-quiet-tint p-1">
      <legend className="sr-only">{label}</legend>
      {options.map(([one, text]) => (
        <label
          key={one}
          className={clsx(
            "cursor-pointer rounded-part px-2 py-1 text-small tablet:px-3 has-focus-visible:outline-2 has-focus-visible:outline-main",
            one === value ? "bg-sheet font-medium shadow-sm" : "text-quiet hover:text-ink",
          )}
        >
          <input type="radio" className="sr-only" name={name} checked={one === value} onChange={() => choose(one)} />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
