import clsx from "clsx";
import type { ButtonHTMLAttributes } from "react";

const kinds = {
  main: "bg-main text-on-main hover:bg-main-hover px-3",
  plain: "border border-edge bg-sheet hover:bg-hover px-3",
  quiet: "text-quiet hover:bg-hover hover:text-ink px-2",
  alarm: "border border-alarm text-alarm bg-sheet hover:bg-alarm-tint px-3",
};

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: keyof typeof kinds;
  /** Whether the work that the button started is still running. A second press then does nothing. */
  isBusy?: boolean;
}

/** Returns the look of a button, for a link to the place of an action. The palette finds such a link by `action`. */
export function buttonLook(kind: keyof typeof kinds): string {
  return clsx(
    "action inline-flex min-h-9 items-center justify-center gap-2 rounded-part font-medium whitespace-nowrap no-underline",
    kinds[kind],
  );
}

export function Button({ kind = "plain", isBusy = false, className, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled || isBusy}
      aria-busy={isBusy}
      className={clsx(buttonLook(kind), "disabled:cursor-default disabled:opacity-55", isBusy && "waiting", className)}
    />
  );
}
