import { iso } from "../../../core/time";
import { pauseOf } from "../../../engine/projects/sending-paused";
import type { AttentionCheck } from "../check";
import type { AttentionItem } from "../schema";

/** Reports a disabled project, and paused marketing mail. */
export const checkProject: AttentionCheck = ({ project }) => {
  const target = { type: "project" as const, id: project.id, name: project.name };
  const path = `/admin/projects/${project.id}`;
  const pause = pauseOf(project);
  const items: AttentionItem[] = [];
  if (project.disabled) {
    items.push({
      code: "project_disabled",
      severity: "act",
      message: `The project is disabled${project.disabledReason === null ? "" : `: ${project.disabledReason}`}. Nothing is sent.`,
      count: 1,
      since: null,
      target,
      action: { text: "Enable the project again.", method: "PATCH", path, body: { disabled: false } },
    });
  }
  if (pause !== null) {
    items.push({
      code: "marketing_paused",
      severity: "act",
      message: `Marketing email is paused. ${pause.reason}`,
      count: 1,
      since: iso(pause.at),
      target,
      action: {
        text: "Find out where the bad addresses came from, then lift the pause.",
        method: "PATCH",
        path,
        body: { sendingPaused: null },
      },
    });
  }
  return () => items;
};
