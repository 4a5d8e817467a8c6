import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import { useEffect, useState } from "react";
import { useWords } from "../words/words";

/** Copies a text. `of` describes the text to readers who do not see where the button is. */
export function CopyButton({ text, of }: { text: string; of: string }) {
  const { words } = useWords();
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), 2000);
    return () => clearTimeout(timer);
  }, [isDone]);
  const Icon = isDone ? Check : Copy;
  return (
    <button
      type="button"
      aria-label={isDone ? words.copied : words.copy(of)}
      title={isDone ? words.copied : words.copy(of)}
      className="relative inline-grid size-9 shrink-0 place-items-center rounded-part text-quiet hover:bg-hover hover:text-ink"
      onClick={() => void navigator.clipboard.writeText(text).then(() => setDone(true))}
    >
      <Icon size={16} aria-hidden />
    </button>
  );
}
