ALTER TABLE `workflow_steps` ADD `key` text;--> statement-breakpoint
ALTER TABLE `workflow_steps` ADD `place` integer;--> statement-breakpoint
ALTER TABLE `workflow_transitions` ADD `place` integer;