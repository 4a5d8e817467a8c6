ALTER TABLE `idempotency_effects` ADD `hash` text;--> statement-breakpoint
ALTER TABLE `projects` ADD `public_track_subscribes` integer DEFAULT true NOT NULL;