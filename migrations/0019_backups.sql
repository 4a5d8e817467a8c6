-- By hand: WITHOUT ROWID. The images of captured rows may be large, so theirs stays as it is.
CREATE TABLE `backups` (
	`id` text PRIMARY KEY NOT NULL,
	`project` text NOT NULL,
	`rows` integer DEFAULT 0 NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`completed_at` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ix_backups_project` ON `backups` (`project`,`created_at`);--> statement-breakpoint
CREATE INDEX `ix_backups_expiry` ON `backups` (`created_at`);--> statement-breakpoint
CREATE TABLE `captured_rows` (
	`project_id` integer NOT NULL,
	`table_name` text NOT NULL,
	`k1` blob NOT NULL,
	`k2` blob NOT NULL,
	`k3` blob NOT NULL,
	`k4` blob NOT NULL,
	`image` text,
	PRIMARY KEY(`project_id`, `table_name`, `k1`, `k2`, `k3`, `k4`)
);
--> statement-breakpoint
CREATE INDEX `ix_jobs_operator` ON `jobs` (`id`) WHERE type IN ('project.backup', 'project.restore', 'project.move');--> statement-breakpoint
CREATE INDEX `ix_jobs_copies` ON `jobs` (`project_id`,`id`) WHERE type IN ('project.backup', 'project.restore', 'project.move');