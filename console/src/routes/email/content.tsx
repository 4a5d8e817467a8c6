import { useQuery } from "@tanstack/react-query";
import type { Email, EmailContent } from "petrel-client";
import { useState } from "react";
import { useProject } from "../../api/project";
import { Checkbox } from "../../parts/checkbox";
import { Choice } from "../../parts/choice";
import { Frame } from "../../parts/frame";
import { Section } from "../../parts/page";
import { Plain } from "../../parts/plain";
import { Loading, Refused } from "../../parts/states";
import { useWords } from "../../words/words";

const widths = { desk: 700, phone: 390 };
const views = ["desk", "phone", "text", "headers", "source"] as const;
type View = (typeof views)[number];

/** A phone shows the mail in phone width. */
function usualView(): View {
  return matchMedia("(width < 48rem)").matches ? "phone" : "desk";
}

/** Shows the mail as it was sent, or as it would be sent now. */
export function Content({ id, from }: { id: string; from: Email }) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const [view, setView] = useState(usualView);
  const [isDark, setDark] = useState(false);
  const [withImages, setImages] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: [project, "content", id],
    queryFn: ({ signal }) => petrel.emails.readContent(id, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Section title={words.email.content}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2">
        <Choice
          label={words.email.content}
          value={view}
          options={views.map((one) => [one, words.email.views[one]] as const)}
          choose={(next) => setView(next)}
        />
        {(view === "desk" || view === "phone") && (
          <>
            <Checkbox label={words.email.dark} isOn={isDark} turn={setDark} />
            <Checkbox label={words.email.images} isOn={withImages} turn={setImages} />
          </>
        )}
      </div>
      <p className="border-b border-line px-4 py-2 text-small text-quiet">
        <bdi>{from.fromName ?? from.from}</bdi> ·{" "}
        <bdi className="font-medium text-ink">{data?.subject ?? from.subject}</bdi>
      </p>
      {error !== null && <Refused error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <Loading />}
      {data && <Shown content={data} view={view} isDark={isDark} withImages={withImages} />}
    </Section>
  );
}

interface ShownProps {
  content: EmailContent;
  view: View;
  isDark: boolean;
  withImages: boolean;
}

function Shown({ content, view, isDark, withImages }: ShownProps) {
  const { words } = useWords();
  switch (view) {
    case "desk":
    case "phone":
      return <Frame html={content.html} width={widths[view]} isDark={isDark} withImages={withImages} />;
    case "text":
      return <Plain text={content.text} />;
    case "source":
      return <Plain text={content.html} />;
    case "headers": {
      const headers = Object.entries(content.headers).map(([name, value]) => `${name}: ${value}`);
      const files = content.attachments.map(
        ({ filename, contentType, size }) => `${filename} (${contentType}, ${size} B)`,
      );
      return (
        <>
          {headers.length > 0 ? (
            <Plain text={headers.join("\n")} />
          ) : (
            <p className="p-4 text-quiet">{words.email.noHeaders}</p>
          )}
          {files.length > 0 && <h3 className="px-4 pt-2 font-semibold">{words.email.attachments}</h3>}
          {files.length > 0 && <Plain text={files.join("\n")} />}
        </>
      );
    }
  }
}
