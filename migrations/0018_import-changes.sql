CREATE TABLE `import_changes` (
	`project_id` integer NOT NULL,
	`job_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`version` integer NOT NULL,
	`is_new` integer NOT NULL,
	`data` text,
	`subscribed` integer NOT NULL,
	`opted_out_at` integer,
	`opted_out_by` text,
	`snoozed_until` integer,
	`confirmed_at` integer,
	`source` text NOT NULL,
	PRIMARY KEY(`project_id`, `job_id`, `contact_id`)
);
--> statement-breakpoint
CREATE INDEX `ix_import_changes_contact` ON `import_changes` (`project_id`,`contact_id`);--> statement-breakpoint
CREATE INDEX `ix_import_changes_expiry` ON `import_changes` (`job_id`);