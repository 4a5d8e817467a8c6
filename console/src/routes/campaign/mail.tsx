import { useQuery } from "@tanstack/react-query";
import type { Campaign, CampaignStats } from "petrel-client";
import { useState } from "react";
import { useProject } from "../../api/project";
import { Checkbox } from "../../parts/checkbox";
import { Choice } from "../../parts/choice";
import { Frame } from "../../parts/frame";
import { Section } from "../../parts/page";
import { Loading, Refused } from "../../parts/states";
import { useWords } from "../../words/words";
import { clickStyles } from "./click-styles";
import { useClickMarks } from "./use-click-marks";

const framePx = 700;

interface MailProps {
  campaign: Campaign;
  /** The figures, once the campaign is being sent. */
  stats: CampaignStats | undefined;
}

/** Shows the mail composed for a person without data, with the clicks on its links. */
export function Mail({ campaign, stats }: MailProps) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const { id, version, previewText, type, topicId, variants } = campaign;
  const [name, choose] = useState(variants?.[0]?.name ?? "");
  const { subject, body } = { ...campaign, ...variants?.find((variant) => variant.name === name) };
  const { data, error, refetch } = useQuery({
    queryKey: [project, "campaign mail", id, version, name],
    queryFn: ({ signal }) => petrel.preview.previewContent({ subject, body, previewText, type, topicId }, { signal }),
  });
  const [withClicks, setClicks] = useState(true);
  const marks = useClickMarks(campaign, stats, data);
  // While mail is being sent, each new figure would scroll the mail to its top again.
  const isMarked = withClicks && marks.length > 0 && campaign.status !== "SENDING";
  return (
    <Section
      title={words.campaigns.theMail}
      actions={marks.length > 0 && <Checkbox label={words.campaigns.clicks} isOn={withClicks} turn={setClicks} />}
    >
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
      {isMarked && (
        <p className="px-4 pb-4 text-small text-quiet">
          {words.campaigns.clickMap}
          {variants && ` ${words.campaigns.ofAllVariants}`}
        </p>
      )}
      {data && (
        <Frame
          html={isMarked ? data.html + clickStyles(marks) : data.html}
          width={framePx}
          isDark={false}
          withImages={false}
        />
      )}
    </Section>
  );
}
