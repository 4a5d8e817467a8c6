import { useWords } from "../../words/words";

/** Shows numbers with their names, one in a line. */
export function Figures({ figures }: { figures: [name: string, figure: number][] }) {
  const { number } = useWords();
  return (
    <dl className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1">
      {figures.map(([name, figure]) => (
        <div key={name} className="contents">
          <dt>{name}</dt>
          <dd className="text-end tabular-nums">{number(figure)}</dd>
        </div>
      ))}
    </dl>
  );
}
