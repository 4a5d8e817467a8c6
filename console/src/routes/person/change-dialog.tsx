import { useQuery } from "@tanstack/react-query";
import type { Contact, UpdateContact } from "petrel-client";
import { type SubmitEvent, useId, useState } from "react";
import { useProject } from "../../api/project";
import { Dialog } from "../../parts/dialog";
import { AreaField, SelectField, TextField } from "../../parts/field";
import { SaveFoot } from "../../parts/save-foot";
import { useWords } from "../../words/words";
import { changedData, linesOf } from "./typed-data";
import { usePersonChange } from "./use-person-change";

/** Changes the address and the data of a person, on top of the version that was read. */
export function ChangeDialog({ contact: read, onClose }: { contact: Contact; onClose(): void }) {
  // The page may read another version meanwhile, with which the fields did not begin.
  const [contact] = useState(read);
  const { words } = useWords();
  const { petrel } = useProject();
  const typeOf = useFieldTypes();
  const keys = useId();
  const save = usePersonChange(contact.id, (change: UpdateContact) =>
    petrel.contacts.update(contact.id, change, { ifMatch: contact.version }),
  );

  function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => `${form.get(name) ?? ""}`;
    const typed = linesOf(contact.data).map(([key], at): [string, string] => [key, text(`value ${at}`)]);
    const data = changedData(contact.data, [...typed, [text("key").trim(), text("value")]], typeOf);
    const email = text("email").trim();
    const change = {
      ...(email === contact.email ? {} : { email }),
      ...(Object.keys(data).length === 0 ? {} : { data }),
    };
    if (Object.keys(change).length === 0) onClose();
    else save.mutate(change, { onSuccess: onClose });
  }

  return (
    <Dialog title={words.person.changeTitle} onClose={onClose}>
      <form onSubmit={send} className="mt-4 grid gap-4">
        <TextField label={words.people.email} name="email" type="email" required defaultValue={contact.email} />
        {linesOf(contact.data).map(([key, value], at) => (
          <ValueField key={key} label={key} name={`value ${at}`} value={value} />
        ))}
        <div className="grid gap-4 tablet:grid-cols-2">
          <TextField label={words.person.newField} name="key" list={keys} maxLength={128} />
          <TextField label={words.person.newValue} name="value" />
        </div>
        <FieldNames id={keys} known={contact.data} />
        <p className="text-small text-quiet">{words.person.emptied}</p>
        <SaveFoot save={save} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

/** Holds a value with everything in it: a field of one line would drop the line breaks. */
function ValueField({ label, name, value }: { label: string; name: string; value: string | number | boolean }) {
  const field = { label, name, defaultValue: `${value}` };
  if (typeof value !== "boolean")
    return /[\r\n]/.test(`${value}`) ? <AreaField {...field} rows={4} /> : <TextField {...field} />;
  return (
    <SelectField {...field}>
      <option value="true">true</option>
      <option value="false">false</option>
      <option value="">·</option>
    </SelectField>
  );
}

/** Names of fields of the project that the person does not have, to choose from. */
function FieldNames({ id, known }: { id: string; known: Contact["data"] }) {
  const { data } = useFields();
  const names = (data ?? []).map(({ key }) => key).filter((key) => !(key in known));
  return (
    <datalist id={id}>
      {names.map((key) => (
        <option key={key} value={key} />
      ))}
    </datalist>
  );
}

const prefix = "data.";

function useFields() {
  const { id: project, petrel } = useProject();
  return useQuery({
    queryKey: [project, "fields"],
    queryFn: ({ signal }) => petrel.contacts.listFields({ signal }),
    select: ({ fields }) =>
      fields
        .filter(({ field }) => field.startsWith(prefix))
        .map(({ field, type }) => ({ key: field.slice(prefix.length), type })),
  });
}

function useFieldTypes() {
  const { data } = useFields();
  return (wanted: string) => data?.find(({ key }) => key === wanted)?.type;
}
