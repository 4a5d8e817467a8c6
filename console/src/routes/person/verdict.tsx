import type { ContactExplanation } from "petrel-client";
import { Badge, type Tone } from "../../parts/badge";
import { Time } from "../../parts/time";
import { useWords } from "../../words/words";
import { SourceLink } from "./source-link";
import { Unsuppress } from "./unsuppress";

const tones: Record<ContactExplanation["verdict"], Tone> = {
  RECEIVED: "good",
  WILL_RECEIVE: "good",
  NOT_RECEIVED: "alarm",
  UNKNOWN: "warn",
};

/** Shows the answer, the reason that decides, and the other obstacles. */
export function Verdict({ of: { verdict, because } }: { of: ContactExplanation }) {
  const { words } = useWords();
  const [first, ...rest] = because;
  return (
    <div className="p-4" role="status">
      <Badge tone={tones[verdict]}>{words.verdict[verdict]}</Badge>
      {first && <Reason because={first} label={words.person.firstReason} />}
      {rest.map((reason) => (
        <Reason key={`${reason.code} ${reason.source.id}`} because={reason} label={words.person.alsoReasons} />
      ))}
    </div>
  );
}

function Reason({ because, label }: { because: ContactExplanation["because"][number]; label: string }) {
  const { message, at, source } = because;
  return (
    <div className="mt-3">
      <p className="text-small text-quiet">
        {label}
        {at && (
          <>
            {" · "}
            <Time at={at} />
          </>
        )}
      </p>
      <p>
        <SourceLink source={source}>
          <bdi>{message}</bdi>
        </SourceLink>
      </p>
      {source.type === "suppression" && <Unsuppress email={source.id} />}
    </div>
  );
}
