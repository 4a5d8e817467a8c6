import clsx from "clsx";
import type { ReactNode } from "react";

const tones = {
  good: "bg-good-tint text-good",
  warn: "bg-warn-tint text-warn",
  alarm: "bg-alarm-tint text-alarm",
  quiet: "bg-quiet-tint text-quiet",
};
export type Tone = keyof typeof tones;

export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={clsx("inline-block rounded-full px-2 text-small font-medium whitespace-nowrap", tones[tone])}>
      {children}
    </span>
  );
}
