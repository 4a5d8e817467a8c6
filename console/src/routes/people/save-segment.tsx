import { useMutation } from "@tanstack/react-query";
import type { Filter } from "petrel-client";
import { useRef, useState } from "react";
import { useProject } from "../../api/project";
import { Button } from "../../parts/button";
import { conditionOf } from "../../parts/conditions/condition";
import { TextField } from "../../parts/field";
import { SaveFoot } from "../../parts/save-foot";
import { useWords } from "../../words/words";

export function SaveSegment({ where }: { where: Filter[] }) {
  const { words } = useWords();
  const { petrel } = useProject();
  const dialog = useRef<HTMLDialogElement>(null);
  const [name, setName] = useState("");
  const save = useMutation({
    mutationFn: () => petrel.segments.create({ name, condition: conditionOf(where) }),
    onSuccess: () => dialog.current?.close(),
  });
  return (
    <>
      <Button kind="quiet" onClick={() => dialog.current?.showModal()}>
        {words.people.saveSegment}
      </Button>
      <span role="status" className="self-center text-small text-quiet">
        {save.data && words.people.saved(save.data.name)}
      </span>
      <dialog ref={dialog} aria-label={words.people.saveSegment} className="sheet w-[min(24rem,calc(100vw-2rem))] p-6">
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            save.mutate();
          }}
        >
          <TextField
            label={words.people.segmentName}
            required
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <SaveFoot save={save} onCancel={() => dialog.current?.close()} />
        </form>
      </dialog>
    </>
  );
}
