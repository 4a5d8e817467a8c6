import { Link } from "@tanstack/react-router";
import type { Activity } from "petrel-client";
import { useRows } from "../../api/pages";
import { useProject } from "../../api/project";
import { type Column, Table } from "../../parts/table";
import { Time } from "../../parts/time";
import { useWords } from "../../words/words";

const pageSize = 100;

/** Lists mail, consent, segments and events of a person in one timeline, newest first. */
export function PersonTimeline({ contactId }: { contactId: string }) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const list = useRows([project, "person", contactId, "activity"], (cursor, signal) =>
    petrel.activity.list({ contactId, limit: pageSize, ...(cursor ? { cursor } : {}) }, { signal }),
  );
  const columns: Column<Activity>[] = [
    {
      title: words.email.happened,
      cell: ({ type, metadata }) => (
        <>
          <What project={project} name={words.person.activity[type] ?? type} metadata={metadata} />
          <bdi className="block truncate text-small text-quiet">{detailOf(metadata)}</bdi>
        </>
      ),
    },
    {
      title: words.emails.time,
      className: "w-40 text-quiet tablet:w-52",
      cell: ({ timestamp }) => <Time at={timestamp} isShort />,
    },
  ];
  return (
    <Table
      label={words.person.timeline}
      rows={list}
      columns={columns}
      idOf={({ id }) => id}
      empty={<p className="p-4 text-quiet">{words.person.nothing}</p>}
    />
  );
}

interface WhatProps {
  project: string;
  name: string;
  metadata: Activity["metadata"];
}

function What({ project, name, metadata: { emailId } }: WhatProps) {
  if (typeof emailId !== "string") return <span className="font-medium">{name}</span>;
  return (
    <Link
      to="/p/$project/emails/$email"
      params={{ project, email: emailId }}
      className="row-link font-medium text-ink no-underline"
    >
      {name}
    </Link>
  );
}

/** Returns the subject of an entry: a link, an email's subject, or the name of an event, a topic or a segment. */
function detailOf({ link, subject, event, segment, topic }: Activity["metadata"]): string {
  return (
    ([link, subject, segment, topic, event].find((one) => typeof one === "string" && one !== "") as string | "") ?? ""
  );
}
