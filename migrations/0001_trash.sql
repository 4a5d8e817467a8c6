CREATE TABLE `trash` (
	`project_id` integer NOT NULL,
	`type` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`content` text NOT NULL,
	`body_key` text,
	`deleted_at` integer NOT NULL,
	`purge_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `type`, `id`)
);
--> statement-breakpoint
CREATE INDEX `ix_trash_list` ON `trash` (`project_id`,`deleted_at`,`id`);--> statement-breakpoint
CREATE INDEX `ix_trash_type` ON `trash` (`project_id`,`type`,`deleted_at`,`id`);--> statement-breakpoint
CREATE INDEX `ix_trash_purge` ON `trash` (`purge_at`);--> statement-breakpoint
CREATE INDEX `ix_trash_body` ON `trash` (`project_id`,`body_key`) WHERE body_key IS NOT NULL;