import type { ContactExplanation } from "petrel-client";
import { Time } from "../../parts/time";
import { useWords } from "../../words/words";

type Forecast = NonNullable<ContactExplanation["retry"]>;

/** Shows what sending an email again would do, according to the service. */
export function RetryForecast({ of: { verdict, to, mayArriveTwice, waitsUntil, because } }: { of: Forecast }) {
  const { words } = useWords();
  const texts = words.email.again;
  return (
    <div className="border-t border-line p-4">
      <h3 className="text-small text-quiet">{texts.title}</h3>
      {verdict === "SENT" ? (
        <p>
          <bdi>{texts.to(to)}</bdi>
        </p>
      ) : (
        <>
          <p className="font-medium text-alarm">{texts.not}</p>
          {because.map(({ code, message }) => (
            <p key={`${code} ${message}`}>
              <bdi>{message}</bdi>
            </p>
          ))}
        </>
      )}
      {mayArriveTwice && <p className="text-warn">{texts.twice}</p>}
      {waitsUntil && (
        <p>
          {texts.waits} <Time at={waitsUntil} />
        </p>
      )}
    </div>
  );
}
