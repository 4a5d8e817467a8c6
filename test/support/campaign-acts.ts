import { Refusal } from "../../src/core/errors";
import { changing, type Draw } from "./campaign-changes";
import { ofCampaign, ofEmail } from "./campaign-deeds";
import { contextOf, type Play } from "./campaign-play";
import { around, working } from "./campaign-work";
import type { Turn } from "./interleave";
import { type Death, wasKilled } from "./killable";

/** Something that a customer, the operator, the cron or the queue does, in a process that may die of it. */
export interface Act {
  name: string;
  run(turn: Turn): Promise<void>;
}

/** A few at once: mostly the queue and the cron are at work, and somebody comes in between. */
export function drawActs(play: Play): Act[] {
  const { random } = play;
  const any = [ofCampaign, ofCampaign, ofCampaign, changing, changing, changing, around, around, ofEmail];
  const lists = [working, working, random.of(any), random.of([working, ...any]), random.of(any)];
  const acts = lists.slice(random.below(2), 3 + random.below(3)).map((from) => drawAct(play, random.of(from)));
  play.reserved.clear();
  return acts;
}

function drawAct(play: Play, draw: Draw): Act {
  const { world, random } = play;
  const { name, run, told, isImmortal } = draw(play);
  const death: Death | undefined =
    !isImmortal && random.isIn(25)
      ? { atStep: 1 + random.below(random.of([5, 15, 50])), when: random.of(["before", "after"]) }
      : undefined;
  const whole = death ? `${name} (dies ${death.when} step ${death.atStep})` : name;
  return {
    name: whole,
    async run(turn) {
      const from = world.now;
      let end = "done";
      try {
        await run(contextOf(play, turn, death));
        told?.({ from, to: world.now, isSure: true });
      } catch (error) {
        if (error instanceof Refusal) end = `refused: ${error.message}`;
        else if (!wasKilled(error)) throw error;
        else {
          end = "died";
          told?.({ from, to: world.now, isSure: false });
        }
      }
      play.log.push(`${from}-${world.now} ${whole}: ${end}`);
    },
  };
}
