import { PetrelError } from "petrel-client";
import type { ReactNode } from "react";
import { useFirstWords } from "../words/first";
import { Button } from "./button";

const widths = [90, 73, 56, 79, 62, 85, 68, 51, 74, 57];

/** Shown while content is loading. */
export function Loading({ rows = 6 }: { rows?: number }) {
  const { words } = useFirstWords();
  return (
    <div role="status" aria-label={words.states.loading} className="grid gap-3 p-4">
      {widths.slice(0, rows).map((width) => (
        <div key={width} className="waiting h-4 rounded-part bg-quiet-tint" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}

/** Shows a refusal in the service's words: what is wrong, what to do, and the request's id in its log. */
export function Refused({ error, retry }: { error: unknown; retry?: () => void }) {
  const { words } = useFirstWords();
  const isTold = error instanceof PetrelError;
  const message = isTold && error.status !== 0 ? error.message : isTold ? words.states.offline : words.states.fault;
  return (
    <div role="alert" className="m-4 rounded-box border border-alarm bg-alarm-tint p-4">
      <p className="font-medium text-alarm">{message}</p>
      {isTold && error.fields.length > 0 && (
        <ul className="mt-2 list-disc ps-5">
          {error.fields.map(({ field, message: said }) => (
            <li key={`${field} ${said}`}>
              <code className="font-mono text-small">{field}</code>: {said}
            </li>
          ))}
        </ul>
      )}
      {isTold && error.requestId !== undefined && (
        <p className="mt-2 text-small text-quiet">
          {words.states.request} <code className="font-mono">{error.requestId}</code>
        </p>
      )}
      {retry && (
        <Button className="mt-3" onClick={retry}>
          {words.states.again}
        </Button>
      )}
    </div>
  );
}

/** Shown in place of actions that the person's role does not allow. */
export function OnlyReading() {
  const { words } = useFirstWords();
  return <p className="text-quiet">{words.states.onlyReading}</p>;
}

/** Shows an empty list: what it will contain, what to do first, and the call that does it. */
export function Empty({ title, children, call }: { title: string; children?: ReactNode; call?: string }) {
  const { words } = useFirstWords();
  return (
    <div className="mx-auto max-w-prose px-4 py-12 text-center">
      <p className="text-large font-medium">{title}</p>
      {children && <div className="mt-2 text-balance text-quiet">{children}</div>}
      {call && (
        <details className="mt-4 text-start text-small text-quiet">
          <summary className="text-center">{words.states.byApi}</summary>
          <ApiCall call={call} />
        </details>
      )}
    </div>
  );
}

export function ApiCall({ call }: { call: string }) {
  return (
    <pre className="mt-2 overflow-x-auto rounded-part bg-quiet-tint p-3 font-mono text-small text-ink">{call}</pre>
  );
}
