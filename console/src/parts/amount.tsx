import { useFirstWords } from "../words/first";

/** A number with the separators of the reader's language. `≈` says that it was not counted to the end. */
export function Amount({ of, isApproximate = false }: { of: number; isApproximate?: boolean }) {
  const { number } = useFirstWords();
  return (
    <span className="tabular-nums">
      {isApproximate ? "≈ " : ""}
      {number(of)}
    </span>
  );
}
