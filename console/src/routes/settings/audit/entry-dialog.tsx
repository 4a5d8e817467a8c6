import { Link } from "@tanstack/react-router";
import type { AuditEntry } from "petrel-client";
import { Button } from "../../../parts/button";
import { Dialog } from "../../../parts/dialog";
import { Time } from "../../../parts/time";
import { useWords } from "../../../words/words";
import type { AuditFilters } from "./filters";
import { shownActor, shownValue } from "./shown";

interface EntryDialogProps {
  entry: AuditEntry;
  filters: AuditFilters;
  onClose(): void;
}

/** Shows one entry: who did what from where, and each field with its value before and after. */
export function EntryDialog({ entry, filters, onClose }: EntryDialogProps) {
  const { words } = useWords();
  const { action, target, at, ip, requestId, changes, actor } = entry;
  const texts = words.settings.audit;
  const ofActor = actor.id ?? "operator";
  return (
    <Dialog title={target.name ?? target.type} onClose={onClose}>
      <p className="mt-1 text-quiet">
        <code className="font-mono text-small">{action}</code> · <bdi>{shownActor(entry, texts.operator)}</bdi> ·{" "}
        <Time at={at} />
      </p>
      <table className="mt-4 w-full table-fixed text-start text-small">
        <thead>
          <tr className="border-b border-line text-quiet">
            {[texts.field, texts.from, texts.to].map((title) => (
              <th key={title} scope="col" className="py-2 pe-3 text-start font-medium">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => (
            <tr key={change.field} className="border-b border-line align-top">
              <th scope="row" className="py-2 pe-3 text-start font-mono font-normal">
                {change.field}
              </th>
              {"from" in change ? (
                <>
                  <Value of={change.from} className="text-quiet" />
                  <Value of={change.to} />
                </>
              ) : (
                <td colSpan={2} className="py-2 text-quiet">
                  {texts.hidden}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-3 text-small text-quiet">
        {ip !== null && (
          <>
            {texts.ip} <code className="font-mono">{ip}</code> ·{" "}
          </>
        )}
        {texts.request} <code className="font-mono">{requestId}</code>
      </p>
      <div className="mt-6 flex flex-wrap items-center gap-4">
        {target.id !== null && (
          <Link to="." search={{ ...filters, target: target.id }} className="link" onClick={onClose}>
            {texts.all}
          </Link>
        )}
        <Link to="." search={{ ...filters, actor: ofActor }} className="link" onClick={onClose}>
          {texts.actor} <bdi>{shownActor(entry, texts.operator)}</bdi>
        </Link>
        <Button className="ms-auto" onClick={onClose}>
          {words.settings.close}
        </Button>
      </div>
    </Dialog>
  );
}

function Value({ of, className = "" }: { of: unknown; className?: string }) {
  const { words } = useWords();
  return (
    <td className={`py-2 pe-3 break-words ${className}`}>
      {of === null || of === undefined ? (
        <span className="text-quiet italic">{words.settings.audit.nothing}</span>
      ) : (
        <bdi className="whitespace-pre-wrap">{shownValue(of)}</bdi>
      )}
    </td>
  );
}
