import { type ComponentType, useEffect, useState } from "react";
import { loadPart } from "../api/load-part";
import { useFirstWords } from "../words/first";
import { withPageWords } from "../words/shown";

const openEvent = "palette";
/** The palette is loaded after the page is painted. */
const restMs = 100;
/** How long the message is shown that there is no palette. */
const readMs = 10_000;

const load = withPageWords(() => import("./palette"));

export function openPalette(): void {
  document.dispatchEvent(new Event(openEvent));
}

/** Opens the palette by `⌘K`, by Ctrl+K, or by the button at the top. It is loaded after the page. */
export function PaletteDoor() {
  const { words } = useFirstWords();
  const [shown, setShown] = useState<{ Palette: ComponentType<{ onClose(): void }> } | null>(null);
  const [hasFailed, setHasFailed] = useState(false);

  useEffect(() => {
    const open = () =>
      loadPart(load).then(
        ({ Palette }) => {
          setHasFailed(false);
          setShown({ Palette });
        },
        () => {
          setHasFailed(true);
          setTimeout(() => setHasFailed(false), readMs);
        },
      );
    function openByKey(event: KeyboardEvent) {
      if (!(event.metaKey || event.ctrlKey) || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      void open();
    }
    // If loading fails now, the palette is loaded when it is opened, which reloads the page or shows the failure.
    const timer = setTimeout(() => load().catch(() => undefined), restMs);
    document.addEventListener("keydown", openByKey);
    document.addEventListener(openEvent, open);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("keydown", openByKey);
      document.removeEventListener(openEvent, open);
    };
  }, []);

  if (hasFailed) {
    return (
      <p role="alert" className="sheet fixed inset-x-4 bottom-20 z-20 mx-auto max-w-md p-4">
        {words.states.offline}
      </p>
    );
  }
  return shown && <shown.Palette onClose={() => setShown(null)} />;
}
