import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import CircleAlert from "lucide-react/icons/circle-alert";
import Info from "lucide-react/icons/info";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import type { Attention as Found } from "petrel-client";
import { useProject } from "../../api/project";
import { buttonLook } from "../../parts/button";
import { Section } from "../../parts/page";
import { ApiCall } from "../../parts/states";
import { Time } from "../../parts/time";
import { useFirstWords } from "../../words/first";
import { placeOf } from "./places";

type Item = Found["items"][number];

const looks = {
  act: { icon: CircleAlert, className: "text-alarm" },
  warn: { icon: TriangleAlert, className: "text-warn" },
  info: { icon: Info, className: "text-quiet" },
};

/** Lists what needs attention, most urgent first, each with a link to the place where it can be fixed. */
export function Attention({ items }: { items: Item[] }) {
  const { words } = useFirstWords();
  return (
    <Section title={words.home.attention}>
      <ul>
        {items.map((item) => (
          <Line key={`${item.code} ${item.target?.id} ${item.message}`} item={item} />
        ))}
      </ul>
    </Section>
  );
}

function Line({ item }: { item: Item }) {
  const { words, number } = useFirstWords();
  const { id: project } = useProject();
  const { severity, message, count, isAtLeast, since, target, action } = item;
  const { icon: Icon, className } = looks[severity];
  const place = placeOf(item, project);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3 last:border-b-0">
      <Icon size={20} role="img" aria-label={words.home.severity[severity]} className={clsx("shrink-0", className)} />
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-medium">
          {target && <bdi>{target.name}: </bdi>}
          <bdi>{message}</bdi>
        </p>
        <p className="text-small text-quiet">
          {count > 1 && `${isAtLeast ? "≥ " : ""}${number(count)} · `}
          {since && (
            <>
              {words.since} <Time at={since} isShort />
            </>
          )}
          {/* The mail log has the buttons in the place of the calls that the text names. */}
          {place?.word !== "emails" && `${since ? " · " : ""}${action.text}`}
        </p>
        {place === null && (
          <details className="text-small text-quiet">
            <summary>{words.states.byApi}</summary>
            <ApiCall call={callOf(action)} />
          </details>
        )}
      </div>
      {place !== null && (
        <Link {...place.to} className={buttonLook(severity === "act" ? "main" : "plain")}>
          {words.home.goTo[place.word]}
        </Link>
      )}
    </li>
  );
}

function callOf({ method, path, body }: Item["action"]): string {
  return `${method} ${path}${body === undefined ? "" : `\n${JSON.stringify(body, null, 2)}`}`;
}
