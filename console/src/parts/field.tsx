import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes, TextareaHTMLAttributes } from "react";

interface Labelled {
  label: string;
  /** Whether the label is only for screen readers. */
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

export function AreaField({ label, isBare, ...rest }: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <Label label={label} isBare={isBare}>
      <textarea {...rest} className="field" />
    </Label>
  );
}

/** Shows a checkbox of a form that is read when it is submitted. */
export function CheckField({ label, ...rest }: { label: string } & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <label className="flex min-h-9 items-center gap-2">
      <input type="checkbox" {...rest} className="size-4 shrink-0 accent-main" />
      {label}
    </label>
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
