import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes } from "react";

interface Labelled {
  label: string;
  /** The label is read out, and not shown. */
  isBare?: boolean;
}

export function TextField({ label, isBare, ...rest }: Labelled & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <Label label={label} isBare={isBare}>
      <input type="text" autoComplete="off" {...rest} className="field" />
    </Label>
  );
}

export function SelectField({ label, isBare, ...rest }: Labelled & SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <Label label={label} isBare={isBare}>
      <select {...rest} className="field" />
    </Label>
  );
}

function Label({ label, isBare, children }: Labelled & { children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: its control is the child
    <label className="block min-w-0">
      <span className={isBare ? "sr-only" : "mb-1 block text-small text-quiet"}>{label}</span>
      {children}
    </label>
  );
}
