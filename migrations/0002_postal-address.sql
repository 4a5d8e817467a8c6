ALTER TABLE `projects` ADD `company` text;--> statement-breakpoint
ALTER TABLE `projects` ADD `postal_address` text;