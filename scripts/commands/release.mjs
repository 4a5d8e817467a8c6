import { ensureInstalled } from "../lib/install.mjs";
import { showTool } from "../lib/tools.mjs";

const HELP = `
  npm run release -- 1.0.0               checks that this commit can be 1.0.0
  npm run release -- 1.0.0 --ci <log>    the same with the log of .ci/run, which has
                                         passed on this commit, in place of
                                         npm test -- --all: a file, or the
                                         address of the text
  npm run release -- 1.0.0 --tag         checks, makes the tag v1.0.0, and says
                                         what to push

  It never pushes. See Releasing in CONTRIBUTING.md.
`;

/** `npm run release`: checks whether this commit can be a release; `--tag` also creates the tag. */
export async function main(args) {
  if (args.length === 0 || args.includes("--help") || args.includes("-h")) return console.log(HELP);
  await ensureInstalled();
  // Runs on the lockfile's Node, which has SQLite.
  return showTool("../../scripts/lib/release/release-tool.mjs", args);
}
