import clsx from "clsx";
import type { ReactNode } from "react";

const tones = {
  quiet: "border-line bg-quiet-tint",
  warn: "border-warn bg-warn-tint",
  good: "border-good bg-good-tint",
};

/** Shows something to know before continuing, with what can be done about it. */
export function Notice({ tone = "quiet", children }: { tone?: keyof typeof tones; children: ReactNode }) {
  return (
    <div
      role="status"
      className={clsx("flex flex-wrap items-center gap-x-4 gap-y-2 rounded-box border p-4", tones[tone])}
    >
      {children}
    </div>
  );
}
