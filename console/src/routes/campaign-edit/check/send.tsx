import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type Campaign, ConflictError, type PreflightResult } from "petrel-client";
import { useState } from "react";
import { useProject } from "../../../api/project";
import { Button } from "../../../parts/button";
import { Choice } from "../../../parts/choice";
import { TextField } from "../../../parts/field";
import { useProof } from "../../../parts/proof";
import { Refused } from "../../../parts/states";
import { lengthOf } from "../../../parts/time";
import { useWords } from "../../../words/words";
import type { Keeper } from "../keeper";
import { clockKey } from "./clock";
import type { Checked } from "./use-check";

interface SendProps {
  campaign: Campaign;
  result: PreflightResult;
  check: Checked;
  keeper: Keeper;
}

/** For how many seconds sending can be undone. */
const undoSeconds = 10;

/** Sends exactly what was checked: in a few seconds, during which it can be undone, or at a chosen time. */
export function Send({ campaign: { id }, result, check, keeper }: SendProps) {
  const { words, count, locale } = useWords();
  const own = words.campaignEdit;
  const { id: project, petrel, testClock } = useProject();
  const queries = useQueryClient();
  const prove = useProof();
  const [when, setWhen] = useState<"now" | "later">("now");
  const [time, setTime] = useState("");
  const send = useMutation({
    mutationFn: () =>
      prove(() =>
        petrel.campaigns.send(id, {
          ...(result.preflightToken !== null && { preflightToken: result.preflightToken }),
          ...(when === "later" ? { scheduledFor: new Date(time).toISOString() } : soon(testClock)),
        }),
      ),
    onSuccess(sent) {
      keeper.hear(sent);
      queries.setQueryData(clockKey(project), Date.parse(sent.updatedAt) - Date.now());
      queries.setQueryData([project, "campaign", id], sent);
    },
    onError(error) {
      // The campaign has changed since, or the check is too old: another check is needed.
      if (error instanceof ConflictError && error.details.field === "preflightToken") check.drop(error);
      // The answer may be lost although the campaign is scheduled. The page then shows that, with the button to undo
      // it.
      void queries.invalidateQueries({ queryKey: [project, "campaign", id] });
    },
  });
  const { willSend, estimatedSeconds } = result;
  const people = words.people.count(count(willSend));
  const at = new Date(time);
  const isReady = when === "now" || !Number.isNaN(at.getTime());
  if (willSend === 0) return <p className="border-t border-line p-4">{own.nobody}</p>;
  return (
    <form
      className="grid gap-4 border-t border-line p-4"
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate();
      }}
    >
      {send.error && <Refused error={send.error} />}
      <div className="flex flex-wrap items-end justify-end gap-4">
        <Choice
          label={own.when}
          value={when}
          options={[
            ["now", own.now],
            ["later", own.later],
          ]}
          choose={(next) => setWhen(next)}
        />
        {when === "later" && (
          <div className="w-60">
            <TextField
              label={own.time}
              type="datetime-local"
              required
              value={time}
              onChange={({ target }) => setTime(target.value)}
            />
          </div>
        )}
        <Button type="submit" kind="main" className="whitespace-normal" isBusy={send.isPending} disabled={!isReady}>
          {when === "later" && isReady
            ? own.schedule(people, at.toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" }))
            : own.send(people, lengthOf(1000 * Math.max(1, estimatedSeconds), locale))}
        </Button>
      </div>
    </form>
  );
}

/** A test clock stands still, so nothing would ever be due. */
function soon(testClock: boolean): { delaySeconds?: number } {
  return testClock ? {} : { delaySeconds: undoSeconds };
}
