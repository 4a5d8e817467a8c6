import { useId } from "react";
import { TextField } from "../../parts/field";
import { Section } from "../../parts/page";
import { useWords } from "../../words/words";
import type { Draft } from "./draft";
import { InboxLine } from "./inbox-line";
import { useLists } from "./use-lists";

interface EnvelopeProps {
  draft: Draft;
  change(change: Partial<Draft>): void;
}

/** Edits the fields around the mail, and shows the line that an inbox displays. */
export function Envelope({ draft, change }: EnvelopeProps) {
  const { words } = useWords();
  const own = words.campaignEdit;
  const senders = useId();
  const { domains } = useLists();
  return (
    <Section title={own.envelope}>
      <div className="grid gap-4 p-4">
        <TextField
          label={own.fields.name}
          value={draft.name}
          onChange={({ target }) => change({ name: target.value })}
        />
        <TextField
          label={own.fields.subject}
          dir="auto"
          value={draft.subject}
          onChange={({ target }) => change({ subject: target.value })}
        />
        <TextField
          label={own.fields.previewText}
          dir="auto"
          placeholder={own.previewTextHint}
          value={draft.previewText ?? ""}
          onChange={({ target }) => change({ previewText: target.value || null })}
        />
        <InboxLine from={draft.fromName ?? draft.from} subject={draft.subject} text={draft.previewText ?? ""} />
        <div className="grid gap-4 tablet:grid-cols-2">
          <TextField
            label={own.fields.fromName}
            dir="auto"
            value={draft.fromName ?? ""}
            onChange={({ target }) => change({ fromName: target.value || null })}
          />
          <TextField
            label={own.fields.from}
            type="email"
            list={senders}
            spellCheck={false}
            value={draft.from}
            onChange={({ target }) => change({ from: target.value })}
          />
          <datalist id={senders}>
            {domains.map((domain) => (
              <option key={domain} value={`${draft.from.split("@")[0]}@${domain}`} />
            ))}
          </datalist>
        </div>
        <TextField
          label={own.fields.replyTo}
          type="email"
          placeholder={own.replyToHint}
          spellCheck={false}
          value={draft.replyTo ?? ""}
          onChange={({ target }) => change({ replyTo: target.value || null })}
        />
      </div>
    </Section>
  );
}
