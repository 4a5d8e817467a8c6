import { Link } from "@tanstack/react-router";
import { Empty } from "../parts/states";
import { useWords } from "../words/words";

export function Nowhere() {
  const { words } = useWords();
  return (
    <Empty title={words.shell.nowhere}>
      <Link to="/" className="link">
        {words.shell.toStart}
      </Link>
    </Empty>
  );
}
