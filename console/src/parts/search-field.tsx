import { useEffect, useState } from "react";
import { TextField } from "./field";

const pauseMs = 250;

/** Searches when the typing pauses. */
export function SearchField({ label, search, change }: { label: string; search: string; change(text: string): void }) {
  const [text, setText] = useState(search);
  const [seen, setSeen] = useState(search);
  const [sent, setSent] = useState(search);
  if (search !== seen) {
    setSeen(search);
    // A text that was not typed here comes from a link, and replaces the current one.
    if (search !== sent) setText(search);
  }
  useEffect(() => {
    if (text.trim() === search) return;
    const timer = setTimeout(() => {
      setSent(text.trim());
      change(text.trim());
    }, pauseMs);
    return () => clearTimeout(timer);
  });
  return (
    <div className="w-full tablet:w-80">
      <TextField
        label={label}
        isBare
        type="search"
        placeholder={label}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </div>
  );
}
