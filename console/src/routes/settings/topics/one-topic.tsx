import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Topic } from "petrel-client";
import { useState } from "react";
import { useProject } from "../../../api/project";
import { useMay } from "../../../api/rights";
import { Button } from "../../../parts/button";
import { Confirm } from "../../../parts/confirm";
import { Refused } from "../../../parts/states";
import { useWords } from "../../../words/words";
import { topicsOf } from "./page";
import { TopicDialog } from "./topic-dialog";

export function OneTopic({ topic }: { topic: Topic }) {
  const { id, name, slug, description, defaultSubscribed } = topic;
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const may = useMay();
  const queries = useQueryClient();
  const [isEdited, setEdited] = useState(false);
  const texts = words.settings.topics;
  const remove = useMutation({
    mutationFn: () => petrel.topics.delete(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: topicsOf(project) }),
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line p-4 first:border-t-0">
      <div className="min-w-48 flex-1">
        <p className="font-medium">
          <bdi>{name}</bdi>
        </p>
        {description && (
          <p>
            <bdi>{description}</bdi>
          </p>
        )}
        <p className="text-small text-quiet">
          {defaultSubscribed ? texts.subscribed : texts.notSubscribed} · {texts.condition}{" "}
          <code className="font-mono">topic.{slug}</code>
        </p>
      </div>
      <div className="flex gap-2">
        {may("topics.update") && (
          <Button aria-label={`${words.settings.edit}: ${name}`} onClick={() => setEdited(true)}>
            {words.settings.edit}
          </Button>
        )}
        {may("topics.delete") && (
          <Confirm
            label={words.remove}
            title={texts.deleteTitle(name)}
            action={words.remove}
            run={() => remove.mutate()}
            isBusy={remove.isPending}
          >
            {texts.deleteAdvice}
          </Confirm>
        )}
      </div>
      {remove.error && (
        <div className="basis-full">
          <Refused error={remove.error} />
        </div>
      )}
      {isEdited && <TopicDialog topic={topic} onClose={() => setEdited(false)} />}
    </li>
  );
}
