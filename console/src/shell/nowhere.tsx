import { Link } from "@tanstack/react-router";
import { Empty } from "../parts/states";
import { useFirstWords } from "../words/first";

export function Nowhere() {
  const { words } = useFirstWords();
  return (
    <Empty title={words.shell.nowhere}>
      <Link to="/" className="link">
        {words.shell.toStart}
      </Link>
    </Empty>
  );
}
