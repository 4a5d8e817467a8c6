CREATE TABLE `execution_counts` (
	`project_id` integer NOT NULL,
	`workflow_id` text NOT NULL,
	`running` integer DEFAULT 0 NOT NULL,
	`waiting` integer DEFAULT 0 NOT NULL,
	`completed` integer DEFAULT 0 NOT NULL,
	`exited` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`cancelled` integer DEFAULT 0 NOT NULL,
	`counted_to` text DEFAULT '' NOT NULL,
	`due_at` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`project_id`, `workflow_id`)
);
--> statement-breakpoint
CREATE INDEX `ix_execution_counts_due` ON `execution_counts` (`due_at`);--> statement-breakpoint
ALTER TABLE `projects` ADD `max_storage_mb` integer DEFAULT 2048 NOT NULL;--> statement-breakpoint
ALTER TABLE `projects` ADD `storage` text;--> statement-breakpoint
ALTER TABLE `projects` ADD `storage_due_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `projects` ADD `storage_progress` text;--> statement-breakpoint
CREATE INDEX `ix_projects_storage` ON `projects` (`storage_due_at`);--> statement-breakpoint
INSERT INTO `execution_counts` (`project_id`, `workflow_id`) SELECT `project_id`, `id` FROM `workflows`;
