ALTER TABLE `passkeys` ADD `is_backup_eligible` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `passkeys` ADD `is_backed_up` integer DEFAULT false NOT NULL;