CREATE TABLE `contact_fields` (
	`project_id` text NOT NULL,
	`key` text NOT NULL,
	`type` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `key`)
);
--> statement-breakpoint
CREATE TABLE `contacts` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`email` text NOT NULL,
	`subscribed` integer NOT NULL,
	`opted_out_at` integer,
	`snoozed_until` integer,
	`data` text NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "contacts_data_size" CHECK(octet_length(data) <= 65536)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ux_contacts_email` ON `contacts` (`project_id`,`email`);--> statement-breakpoint
CREATE INDEX `ix_contacts_project_id` ON `contacts` (`project_id`,`id`);--> statement-breakpoint
CREATE TABLE `suppressions` (
	`project_id` text NOT NULL,
	`email` text NOT NULL,
	`reason` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `email`)
);
--> statement-breakpoint
CREATE TABLE `domains` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`domain` text NOT NULL,
	`status` text NOT NULL,
	`records` text NOT NULL,
	`last_checked_at` integer,
	`verified_at` integer,
	`failing_since` integer,
	`next_check_at` integer,
	`version` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ux_domains_domain` ON `domains` (`project_id`,`domain`);--> statement-breakpoint
CREATE INDEX `ix_domains_project` ON `domains` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `ix_domains_name` ON `domains` (`domain`);--> statement-breakpoint
CREATE INDEX `ix_domains_due` ON `domains` (`next_check_at`) WHERE next_check_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `email_contents` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`subject` text NOT NULL,
	`body` text,
	`body_key` text,
	`from_email` text NOT NULL,
	`from_name` text,
	`reply_to` text,
	`headers` text NOT NULL,
	`attachments` text NOT NULL,
	`size` integer NOT NULL,
	`own_data` text NOT NULL,
	`type` text NOT NULL,
	`template_id` text,
	`template_version_id` text,
	`link_base` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `ix_email_contents_project` ON `email_contents` (`project_id`,`id`);--> statement-breakpoint
CREATE TABLE `emails` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`content_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`to_email` text NOT NULL,
	`to_written` text NOT NULL,
	`to_name` text,
	`type` text NOT NULL,
	`source` text NOT NULL,
	`template_id` text,
	`campaign_id` text,
	`workflow_execution_id` text,
	`status` text NOT NULL,
	`error` text,
	`subject` text,
	`contact` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`claim` text,
	`lease_until` integer,
	`handed_at` integer,
	`uncertain_since` integer,
	`next_attempt_at` integer,
	`next_announce_at` integer,
	`announcements` integer DEFAULT 0 NOT NULL,
	`abandonments` integer DEFAULT 0 NOT NULL,
	`provider` text,
	`provider_message_id` text,
	`opens` integer DEFAULT 0 NOT NULL,
	`clicks` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`sent_at` integer,
	`delivered_at` integer,
	`opened_at` integer,
	`clicked_at` integer,
	`bounced_at` integer,
	`complained_at` integer
);
--> statement-breakpoint
CREATE INDEX `ix_emails_project` ON `emails` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `ix_emails_queued` ON `emails` (`next_announce_at`) WHERE status = 'QUEUED';--> statement-breakpoint
CREATE INDEX `ix_emails_sending` ON `emails` (`lease_until`) WHERE status = 'SENDING';--> statement-breakpoint
CREATE INDEX `ix_emails_provider_message` ON `emails` (`provider_message_id`) WHERE provider_message_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_emails_template` ON `emails` (`project_id`,`template_id`) WHERE template_id IS NOT NULL AND sent_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `monthly_usage` (
	`project_id` text NOT NULL,
	`month` text NOT NULL,
	`emails` integer NOT NULL,
	PRIMARY KEY(`project_id`, `month`)
);
--> statement-breakpoint
CREATE TABLE `outbox_messages` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`email_id` text NOT NULL,
	`to_email` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `ix_outbox_messages_to` ON `outbox_messages` (`to_email`,`id`);--> statement-breakpoint
CREATE INDEX `ix_outbox_messages_project` ON `outbox_messages` (`project_id`,`id`);--> statement-breakpoint
CREATE TABLE `event_listeners` (
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`listener_id` text NOT NULL,
	PRIMARY KEY(`project_id`, `name`, `listener_id`)
);
--> statement-breakpoint
CREATE TABLE `events` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`contact_id` text,
	`email_id` text,
	`data` text NOT NULL,
	`created_at` integer NOT NULL,
	`dispatched_at` integer
);
--> statement-breakpoint
CREATE INDEX `ix_events_project` ON `events` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `ix_events_email` ON `events` (`project_id`,`email_id`) WHERE email_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `idempotency_effects` (
	`project_id` text NOT NULL,
	`key` text NOT NULL,
	`request` text NOT NULL,
	`response` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `ix_idempotency_effects_expiry` ON `idempotency_effects` (`expires_at`);--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`type` text NOT NULL,
	`status` text NOT NULL,
	`progress` integer DEFAULT 0 NOT NULL,
	`result` text,
	`errors` text NOT NULL,
	`created_at` integer NOT NULL,
	`completed_at` integer,
	`next_announce_at` integer
);
--> statement-breakpoint
CREATE INDEX `ix_jobs_project` ON `jobs` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `ix_jobs_open` ON `jobs` (`next_announce_at`) WHERE status IN ('queued', 'processing');--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text,
	`prefix` text NOT NULL,
	`hash` text NOT NULL,
	`last_used_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ux_api_keys_hash` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `ix_api_keys_project` ON `api_keys` (`project_id`,`id`);--> statement-breakpoint
CREATE TABLE `dead_letters` (
	`id` text PRIMARY KEY NOT NULL,
	`queue` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `projects` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`from_name` text,
	`locale` text NOT NULL,
	`disabled` integer DEFAULT false NOT NULL,
	`disabled_reason` text,
	`tracking` text NOT NULL,
	`monthly_send_limit` integer,
	`send_rate_per_second` integer,
	`test_clock` integer DEFAULT false NOT NULL,
	`shard` text NOT NULL,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `verified_domains` (
	`domain` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `template_versions` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`template_id` text NOT NULL,
	`number` integer NOT NULL,
	`subject` text NOT NULL,
	`body` text,
	`body_key` text,
	`from_email` text NOT NULL,
	`from_name` text,
	`reply_to` text,
	`type` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ux_template_versions_number` ON `template_versions` (`template_id`,`number`);--> statement-breakpoint
CREATE INDEX `ix_template_versions_project` ON `template_versions` (`project_id`,`id`);--> statement-breakpoint
CREATE TABLE `templates` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`version_id` text NOT NULL,
	`search_text` text NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `ix_templates_project` ON `templates` (`project_id`,`id`);