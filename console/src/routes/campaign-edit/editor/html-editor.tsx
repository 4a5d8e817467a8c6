import type { EditorView } from "@codemirror/view";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useProject } from "../../../api/project";
import { openEditor, replaceText, setNames, setReadOnly } from "./open-editor";

interface HtmlEditorProps {
  label: string;
  value: string;
  isReadOnly: boolean;
  change(text: string): void;
}

/** Edits HTML with Liquid. Loaded only by the page that needs it. */
export default function HtmlEditor({ label, value, isReadOnly, change }: HtmlEditorProps) {
  const { id: project, petrel } = useProject();
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef({ value, change });
  useEffect(() => {
    latest.current = { value, change };
  });
  useEffect(() => {
    if (place.current === null) return;
    const opened = openEditor(place.current, {
      ...{ label, text: latest.current.value },
      change: (text) => latest.current.change(text),
    });
    view.current = opened;
    return () => {
      opened.destroy();
      view.current = null;
    };
  }, [label]);
  // A newly opened editor has none of these.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (view.current !== null) setReadOnly(view.current, isReadOnly);
  }, [isReadOnly, label]);
  useEffect(() => {
    if (view.current !== null) replaceText(view.current, value);
  }, [value]);

  const { data } = useQuery({
    queryKey: [project, "fields"],
    queryFn: ({ signal }) => petrel.contacts.listFields({ signal }),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a newly opened editor has no names
  useEffect(() => {
    if (view.current !== null && data) setNames(view.current, data.fields);
  }, [data, label]);
  return <div ref={place} className="h-[36rem]" />;
}
