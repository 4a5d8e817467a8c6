import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { CampaignExplanation } from "petrel-client";
import { useState } from "react";
import { useProject } from "../../api/project";
import { Badge, type Tone } from "../../parts/badge";
import { Button } from "../../parts/button";
import { TextField } from "../../parts/field";
import { Loading, Refused } from "../../parts/states";
import { useWords } from "../../words/words";

const tones: Record<CampaignExplanation["outcome"], Tone> = {
  SENT: "good",
  WAITING: "good",
  LEFT_OUT: "warn",
  WITHHELD: "alarm",
  NOT_IN_AUDIENCE: "warn",
  NO_CONTACT: "quiet",
};

/** Shows whether one address got the campaign, and otherwise why not. */
export function Ask({ id }: { id: string }) {
  const { words } = useWords();
  const [asked, ask] = useState("");
  return (
    <>
      <form
        className="flex items-end gap-2 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          ask(`${new FormData(event.currentTarget).get("address") ?? ""}`.trim());
        }}
      >
        <div className="min-w-0 flex-1">
          <TextField label={words.campaigns.address} name="address" type="email" required />
        </div>
        <Button type="submit">{words.campaigns.askNow}</Button>
      </form>
      {asked !== "" && <Answer id={id} email={asked} />}
    </>
  );
}

function Answer({ id, email }: { id: string; email: string }) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const { data, error, refetch } = useQuery({
    queryKey: [project, "campaign explain", id, email],
    queryFn: ({ signal }) => petrel.campaigns.explain(id, { email }, { signal }),
  });
  if (error !== null) return <Refused error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={2} />;
  return (
    <div role="status" className="grid gap-2 border-t border-line p-4">
      <p>
        <Badge tone={tones[data.outcome]}>{words.campaigns.outcome[data.outcome]}</Badge>
      </p>
      {data.reasons.map(({ code, message }) => (
        <p key={`${code} ${message}`}>
          <bdi>{message}</bdi>
        </p>
      ))}
      <p className="flex gap-4">
        {data.emailId && (
          <Link to="/p/$project/emails/$email" params={{ project, email: data.emailId }} className="link">
            {words.campaigns.theMail}
          </Link>
        )}
        {data.contactId && (
          <Link to="/p/$project/people/$person" params={{ project, person: data.contactId }} className="link">
            {words.campaigns.thePerson}
          </Link>
        )}
      </p>
    </div>
  );
}
