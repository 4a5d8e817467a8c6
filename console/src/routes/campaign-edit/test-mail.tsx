import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import Send from "lucide-react/icons/send";
import type { Campaign } from "petrel-client";
import { useRef, useState } from "react";
import { useProject } from "../../api/project";
import { Button } from "../../parts/button";
import { SelectField, TextField } from "../../parts/field";
import { Refused } from "../../parts/states";
import { useMe } from "../../shell/root";
import { useWords } from "../../words/words";
import type { Draft } from "./draft";
import type { Keeper } from "./keeper";

interface TestMailProps {
  keeper: Keeper;
  campaign: Campaign;
  variants: Draft["variants"];
}

/** Mails the current campaign to one address, by default the reader's own. */
export function TestMail({ keeper, campaign: { id }, variants }: TestMailProps) {
  const { words } = useWords();
  const own = words.campaignEdit;
  const { id: project, petrel } = useProject();
  const { person } = useMe();
  const dialog = useRef<HTMLDialogElement>(null);
  const [email, setEmail] = useState(person.email);
  const [variant, setVariant] = useState("");
  const test = useMutation({
    async mutationFn() {
      // The test mail contains only what is saved.
      if (!(await keeper.flush())) return null;
      return petrel.campaigns.test(id, { email, ...(variant && { variant }) });
    },
  });
  return (
    <>
      <Button onClick={() => dialog.current?.showModal()}>
        <Send size={16} aria-hidden />
        {own.test}
      </Button>
      <dialog ref={dialog} aria-label={own.test} className="sheet w-[min(26rem,calc(100vw-2rem))] p-6">
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            test.mutate();
          }}
        >
          <h2 className="text-large font-semibold">{own.test}</h2>
          <p className="text-small text-quiet">{own.testAdvice}</p>
          <TextField
            label={own.testTo}
            type="email"
            required
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
          {variants && (
            <SelectField
              label={own.fields.variants}
              value={variant}
              onChange={({ target }) => setVariant(target.value)}
            >
              {variants.map(({ name }, at) => (
                <option key={name} value={at === 0 ? "" : name}>
                  {name}
                </option>
              ))}
            </SelectField>
          )}
          {test.error && <Refused error={test.error} />}
          {test.data === null && <p role="alert">{own.notSaved}</p>}
          {test.data && (
            <p role="status" className="text-small">
              {own.testSent(email)}{" "}
              <Link to="/p/$project/emails/$email" params={{ project, email: test.data.email }} className="link">
                {own.testOpen}
              </Link>
            </p>
          )}
          <div className="flex justify-end gap-2">
            <Button onClick={() => dialog.current?.close()}>{own.close}</Button>
            <Button type="submit" kind="main" isBusy={test.isPending}>
              {own.testSend}
            </Button>
          </div>
        </form>
      </dialog>
    </>
  );
}
