import { useQuery } from "@tanstack/react-query";
import type { Campaign } from "petrel-client";
import { useState } from "react";
import { useProject } from "../../api/project";
import { Choice } from "../../parts/choice";
import { Frame } from "../../parts/frame";
import { Section } from "../../parts/page";
import { Loading, Refused } from "../../parts/states";
import { useWords } from "../../words/words";

const framePx = 700;

/** Shows the mail as it is composed for a person of whom nothing is known. */
export function Mail({ campaign }: { campaign: Campaign }) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const { id, version, previewText, type, topicId, variants } = campaign;
  const [name, choose] = useState(variants?.[0]?.name ?? "");
  const { subject, body } = { ...campaign, ...variants?.find((variant) => variant.name === name) };
  const { data, error, refetch } = useQuery({
    queryKey: [project, "campaign mail", id, version, name],
    queryFn: ({ signal }) => petrel.preview.previewContent({ subject, body, previewText, type, topicId }, { signal }),
  });
  return (
    <Section title={words.campaigns.theMail}>
      {variants && (
        <div className="p-4 pb-0">
          <Choice
            label={words.campaigns.variant}
            value={name}
            options={variants.map((variant): [string, string] => [variant.name, variant.name])}
            choose={choose}
          />
        </div>
      )}
      <p className="p-4 font-medium">
        <bdi>{data?.subject ?? subject}</bdi>
      </p>
      {error !== null && <Refused error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <Loading rows={3} />}
      {data && <Frame html={data.html} width={framePx} isDark={false} withImages={false} />}
    </Section>
  );
}
