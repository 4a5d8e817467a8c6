CREATE TABLE `moved_keys` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`table_name` text NOT NULL,
	`k1` blob NOT NULL,
	`k2` blob NOT NULL,
	`k3` blob NOT NULL,
	`k4` blob NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ux_moved_keys` ON `moved_keys` (`project_id`,`table_name`,`k1`,`k2`,`k3`,`k4`);--> statement-breakpoint
CREATE INDEX `ix_moved_keys_order` ON `moved_keys` (`project_id`,`number`);--> statement-breakpoint
CREATE TABLE `moves` (
	`project_id` integer PRIMARY KEY NOT NULL,
	`job_id` text NOT NULL,
	`stage` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `projects` ADD `move` text;--> statement-breakpoint
CREATE INDEX `ix_projects_move` ON `projects` (`number`) WHERE move IS NOT NULL;