import Trash2 from "lucide-react/icons/trash-2";
import { Button } from "../../parts/button";
import { TextField } from "../../parts/field";
import { Section } from "../../parts/page";
import { useWords } from "../../words/words";
import type { Draft } from "./draft";

interface VariantsProps {
  draft: Draft;
  change(variants: Draft["variants"]): void;
}

type Variant = NonNullable<Draft["variants"]>[number];

/** Edits several subjects, each for a share of the people, to find out which one is read most. */
export function Variants({ draft: { variants, subject }, change }: VariantsProps) {
  const { words } = useWords();
  const own = words.campaignEdit;
  const list = variants ?? [];
  const add = () => change([...list, nextVariant(list, subject)]);
  const replace = (at: number, part: Partial<Variant>) =>
    change(list.map((one, place) => (place === at ? { ...one, ...part } : one)));
  const remove = (at: number) => {
    const left = list.filter((_, place) => place !== at);
    // A single variant compares with nothing.
    change(left.length > 1 ? left : null);
  };
  return (
    <Section title={own.fields.variants} actions={list.length > 0 && <Button onClick={add}>{own.addVariant}</Button>}>
      {list.length === 0 ? (
        <div className="flex flex-wrap items-center gap-4 p-4">
          <p className="min-w-48 flex-1 text-small text-quiet">{own.variantsAdvice}</p>
          <Button onClick={() => change([{ name: "A", weight: 50 }, nextVariant([{ name: "A" }], subject)])}>
            {own.tryTwo}
          </Button>
        </div>
      ) : (
        <ul className="grid gap-3 p-4">
          {list.map(({ name, weight, subject: its }, at) => (
            // A variant is identified by its index, because its name may be edited.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <li key={at} className="grid grid-cols-[5.5rem_minmax(0,1fr)_4.5rem_2.25rem] items-end gap-2">
              <TextField
                label={own.variantName}
                isBare={at > 0}
                aria-label={own.ofVariant(own.variantName, name)}
                value={name}
                onChange={({ target }) => replace(at, { name: target.value })}
              />
              <TextField
                label={own.fields.subject}
                isBare={at > 0}
                aria-label={own.ofVariant(own.fields.subject, name)}
                dir="auto"
                placeholder={subject}
                value={its ?? ""}
                onChange={({ target }) => replace(at, { subject: target.value || undefined })}
              />
              <TextField
                label={own.share}
                isBare={at > 0}
                aria-label={own.ofVariant(own.share, name)}
                type="number"
                min={1}
                max={100}
                value={weight}
                onChange={({ target }) => replace(at, { weight: target.valueAsNumber || 1 })}
              />
              <Button
                kind="quiet"
                aria-label={own.removeVariant(name)}
                title={own.removeVariant(name)}
                onClick={() => remove(at)}
              >
                <Trash2 size={16} aria-hidden />
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function nextVariant(list: Pick<Variant, "name">[], subject: string): Variant {
  const letters = [..."ABCDEFGH"];
  const name = letters.find((letter) => !list.some((one) => one.name === letter)) ?? `${list.length + 1}`;
  return { name, weight: 50, subject };
}
