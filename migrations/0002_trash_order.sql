DROP INDEX `ix_trash_list`;--> statement-breakpoint
DROP INDEX `ix_trash_type`;--> statement-breakpoint
CREATE INDEX `ix_trash_list` ON `trash` (`project_id`,`deleted_at`,`id`,`purge_at`);--> statement-breakpoint
CREATE INDEX `ix_trash_type` ON `trash` (`project_id`,`type`,`deleted_at`,`id`,`purge_at`);