import { isFull, largestKinds, shareOfLimit } from "../../../core/storage";
import { iso } from "../../../core/time";
import { pauseOf } from "../../../engine/projects/sending-paused";
import type { Project } from "../../../platform/context";
import type { AttentionCheck } from "../check";
import type { AttentionItem } from "../schema";

/** Reports a disabled project, and paused marketing mail. */
export const checkProject: AttentionCheck = ({ project }) => {
  const { target, path } = whereabouts(project);
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
  items.push(...storageItems(project));
  return () => items;
};

const nearShare = 0.8;

/** Reports storage that was at its limit or close to it when it was last counted. */
function storageItems(project: Project): AttentionItem[] {
  const { storage, maxStorageMb } = project;
  if (storage === null || shareOfLimit({ storage, maxStorageMb }) < nearShare) return [];
  const { target, path } = whereabouts(project);
  const isReached = isFull(project);
  const kinds = largestKinds(storage).map(({ kind }) => kind);
  return [
    {
      code: isReached ? "storage_limit_reached" : "storage_limit_near",
      severity: isReached ? "act" : "warn",
      message: `The project stores ${Math.round(100 * shareOfLimit({ storage, maxStorageMb }))} % of its ${maxStorageMb} MB${isReached ? ": nothing is added" : ""}. Most space is used by ${kinds.join(", ")}.`,
      count: 1,
      since: iso(storage.countedAt),
      target,
      action: {
        text: "Delete what is not needed, or raise the limit.",
        method: "PATCH",
        path,
        body: { maxStorageMb: 2 * maxStorageMb },
      },
    },
  ];
}

function whereabouts({ id, name }: Project) {
  return { target: { type: "project" as const, id, name }, path: `/admin/projects/${id}` };
}
