import colours from "picocolors";
import type { Command } from "../command";
import { openDesk } from "../files/pairs";
import { showDifference } from "../files/show";
import { say } from "../screen";
import { openPetrel } from "../settings";

export const diff: Command = {
  summary: "Show how the files here differ from the service",
  usage: "[files or folders]",
  about: "Lines with - are the service's, lines with + are yours. The exit code is 1 when anything differs.",
  options: {},
  examples: ["petrel diff", "petrel diff templates/welcome.md"],
  async run(given) {
    const { pairs } = await openDesk(openPetrel(), given.words);
    const different = pairs.filter(({ standing }) => standing !== "same");
    for (const { kind, file, local, server, standing } of different) {
      say(`${colours.bold(file)}  ${colours.yellow(standing)}`);
      if (local && server) showDifference(kind.write(server.doc), kind.write(local));
    }
    if (different.length === 0) say(`${colours.green("✓")} The service has what is here`);
    return different.length === 0 ? 0 : 1;
  },
};
