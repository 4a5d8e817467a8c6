import { useFirstWords } from "../words/first";

/** Shows a number with the separators of the reader's language. `≈` marks a number that was not counted to the end. */
export function Amount({ of, isApproximate = false }: { of: number; isApproximate?: boolean }) {
  const { number } = useFirstWords();
  return (
    <span className="tabular-nums">
      {isApproximate ? "≈ " : ""}
      {number(of)}
    </span>
  );
}
