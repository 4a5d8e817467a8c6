import { useCallback, useId, useRef, useState } from "react";
import { useWords } from "../words/words";

interface FrameProps {
  html: string;
  width: number;
  isDark: boolean;
  withImages: boolean;
}

/**
 * Shows an email as its reader sees it. A form posts the mail to a route that answers with it under a separate policy.
 * A frame that the page itself writes would inherit the page's policy, which forbids the styles of mail.
 */
export function Frame({ html, width, isDark, withImages }: FrameProps) {
  const { words } = useWords();
  const name = useId();
  const form = useRef<HTMLFormElement>(null);
  const shown = inScheme(html, isDark);
  const [last, setLast] = useState({ shown, withImages, turn: 0 });
  if (last.shown !== shown || last.withImages !== withImages) setLast({ shown, withImages, turn: last.turn + 1 });
  const fill = useCallback((frame: HTMLIFrameElement | null) => {
    // The form's fields are rendered by now.
    if (frame !== null) form.current?.submit();
  }, []);
  return (
    <div className="overflow-x-auto bg-quiet-tint p-4">
      <form ref={form} method="post" action="/console/preview" encType="multipart/form-data" target={name} hidden>
        <textarea name="html" value={shown} readOnly aria-hidden />
        <input name="images" value={withImages ? "load" : "leave"} readOnly aria-hidden />
      </form>
      <iframe
        // Showing another email in the same frame would add an entry to the browser's history. A new frame does not.
        key={last.turn}
        ref={fill}
        name={name}
        title={words.email.frame}
        sandbox=""
        referrerPolicy="no-referrer"
        className="mx-auto block h-[36rem] max-w-full rounded-part border border-line"
        style={{ width, background: isDark ? "#121212" : "#ffffff" }}
      />
    </div>
  );
}

/**
 * Applies the styles for one of the colour schemes. A page cannot set the scheme of a frame, so the queries in the
 * styles are replaced by their results.
 */
function inScheme(html: string, isDark: boolean): string {
  const [yes, no] = ["(min-width: 0)", "(max-width: 0)"];
  const root = `<style>:root { color-scheme: ${isDark ? "dark" : "light"} }</style>`;
  return (
    html
      .replace(/\(\s*prefers-color-scheme\s*:\s*dark\s*\)/gi, isDark ? yes : no)
      .replace(/\(\s*prefers-color-scheme\s*:\s*light\s*\)/gi, isDark ? no : yes) + root
  );
}
