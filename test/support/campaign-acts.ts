import { drawDeath, endOf, withDeath } from "./acts";
import { changing, type Draw } from "./campaign-changes";
import { ofCampaign, ofEmail } from "./campaign-deeds";
import { contextOf, type Play } from "./campaign-play";
import { around, working } from "./campaign-work";
import type { Turn } from "./interleave";

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
  const drawn = draw(play);
  const death = drawDeath(random, drawn, { percent: 25, steps: [5, 15, 50] });
  const name = withDeath(drawn.name, death);
  return {
    name,
    async run(turn) {
      const from = world.now;
      const end = await endOf(world, drawn, contextOf(play, turn, death));
      play.log.push(`${from}-${world.now} ${name}: ${end}`);
    },
  };
}
