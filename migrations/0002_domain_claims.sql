ALTER TABLE `verified_domains` ADD `claim` text DEFAULT '' NOT NULL;--> statement-breakpoint
UPDATE `projects` SET `shard` = 'DB' WHERE `shard` = 'main';
