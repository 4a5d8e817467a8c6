import clsx from "clsx";
import type { Domain } from "petrel-client";
import { Badge, type Tone } from "../../parts/badge";
import { CopyButton } from "../../parts/copy";
import { useWords } from "../../words/words";

type Record = Domain["records"][number];

const tones: { [Status in Record["status"]]: Tone } = { PENDING: "warn", FOUND: "good", MISMATCH: "alarm" };

/** Shows a record to copy into the DNS, and the record found there now. */
export function DnsRecord({ record }: { record: Record }) {
  const { words } = useWords();
  const { purpose, type, name, value, priority, required, status, found } = record;
  return (
    <li className="grid gap-x-4 gap-y-2 border-b border-line p-4 last:border-b-0 desk:grid-cols-[12rem_minmax(0,1fr)]">
      <div className="flex flex-wrap items-center gap-2 desk:flex-col desk:items-start">
        <span className="font-medium">
          {purpose} <span className="font-normal text-quiet">{type}</span>
        </span>
        <Badge tone={required || status === "FOUND" ? tones[status] : "quiet"}>{words.domains.record[status]}</Badge>
        <span className="text-small text-quiet">{required ? words.domains.required : words.domains.optional}</span>
      </div>
      <dl className="grid min-w-0 grid-cols-[4rem_minmax(0,1fr)] items-center gap-x-3">
        <Line label={words.domains.recordName} text={name} copied />
        <Line label={words.domains.recordValue} text={value} copied />
        {priority !== undefined && <Line label={words.domains.priority} text={`${priority}`} />}
        {status === "MISMATCH" && <Line label={words.domains.found} text={(found ?? []).join("\n")} isAlarm />}
      </dl>
    </li>
  );
}

interface LineProps {
  label: string;
  text: string;
  copied?: boolean;
  isAlarm?: boolean;
}

function Line({ label, text, copied = false, isAlarm = false }: LineProps) {
  return (
    <>
      <dt className="text-small text-quiet">{label}</dt>
      <dd className="flex min-w-0 items-center gap-1">
        <code
          className={clsx("min-w-0 flex-1 font-mono text-small break-all whitespace-pre-wrap", isAlarm && "text-alarm")}
        >
          {text}
        </code>
        {copied && <CopyButton text={text} of={label} />}
      </dd>
    </>
  );
}
