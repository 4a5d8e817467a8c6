ALTER TABLE `emails` ADD `look_up_at` integer;--> statement-breakpoint
ALTER TABLE `emails` ADD `look_ups` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `emails` ADD `settled_by` text;--> statement-breakpoint
CREATE INDEX `ix_emails_look_up` ON `emails` (`provider`,`look_up_at`) WHERE status = 'UNKNOWN' AND look_up_at IS NOT NULL;