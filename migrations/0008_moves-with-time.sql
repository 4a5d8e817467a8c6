ALTER TABLE `segments` ADD `moves_with_time` integer DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE `segments` SET `moves_with_time` = true WHERE instr(`condition`, '"unit"') > 0 OR instr(`condition`, 'emberOfSegment"') > 0;
