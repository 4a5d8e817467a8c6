CREATE TABLE `audience_references` (
	`project_id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`referrer` text NOT NULL,
	`referrer_id` text NOT NULL,
	`referrer_name` text NOT NULL,
	PRIMARY KEY(`project_id`, `kind`, `name`, `referrer`, `referrer_id`)
);
--> statement-breakpoint
CREATE INDEX `ix_audience_references_referrer` ON `audience_references` (`project_id`,`referrer`,`referrer_id`);--> statement-breakpoint
CREATE TABLE `contact_counts` (
	`project_id` text PRIMARY KEY NOT NULL,
	`total` integer NOT NULL,
	`subscribed` integer NOT NULL,
	`version` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `erased_addresses` (
	`project_id` text NOT NULL,
	`hash` text NOT NULL,
	`opted_out_at` integer,
	`suppressed_reason` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `hash`)
);
--> statement-breakpoint
CREATE TABLE `event_days` (
	`project_id` text NOT NULL,
	`day` integer NOT NULL,
	`name` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`project_id`, `day`, `name`)
);
--> statement-breakpoint
CREATE TABLE `event_names` (
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`count` integer NOT NULL,
	`contacts` integer NOT NULL,
	`last_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `name`)
);
--> statement-breakpoint
CREATE TABLE `segment_members` (
	`project_id` text NOT NULL,
	`segment_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `segment_id`, `contact_id`)
);
--> statement-breakpoint
CREATE INDEX `ix_segment_members_contact` ON `segment_members` (`project_id`,`contact_id`);--> statement-breakpoint
CREATE TABLE `segments` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`type` text NOT NULL,
	`slug` text NOT NULL,
	`condition` text,
	`track_membership` integer NOT NULL,
	`member_count` integer DEFAULT 0 NOT NULL,
	`counted_at` integer,
	`counted_of` text,
	`next_count_at` integer,
	`computed_at` integer,
	`computed_of` text,
	`next_compute_at` integer,
	`compute_job_id` text,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ux_segments_slug` ON `segments` (`project_id`,`slug`);--> statement-breakpoint
CREATE INDEX `ix_segments_project` ON `segments` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `ix_segments_uncounted` ON `segments` (`next_count_at`) WHERE next_count_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_segments_uncomputed` ON `segments` (`next_compute_at`) WHERE next_compute_at IS NOT NULL;--> statement-breakpoint
ALTER TABLE `contact_fields` ADD `contacts` integer;--> statement-breakpoint
ALTER TABLE `contact_fields` ADD `counted_at` integer;--> statement-breakpoint
ALTER TABLE `email_contents` ADD `recipients` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `events` ADD `next_announce_at` integer;--> statement-breakpoint
ALTER TABLE `events` ADD `announcements` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_events_contact` ON `events` (`project_id`,`contact_id`,`id`) WHERE contact_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_events_name_contact` ON `events` (`project_id`,`name`,`contact_id`,`id`);--> statement-breakpoint
CREATE INDEX `ix_events_name` ON `events` (`project_id`,`name`,`id`,`contact_id`);--> statement-breakpoint
CREATE INDEX `ix_events_waiting` ON `events` (`next_announce_at`) WHERE dispatched_at IS NULL;--> statement-breakpoint
ALTER TABLE `jobs` ADD `input` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `jobs` ADD `state` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `projects` ADD `address_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_contacts_list` ON `contacts` (`project_id`,`subscribed`,`created_at`,`id`,`email`);--> statement-breakpoint
CREATE INDEX `ix_contacts_snoozed` ON `contacts` (`snoozed_until`) WHERE snoozed_until IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_emails_contact` ON `emails` (`project_id`,`contact_id`,`id`);--> statement-breakpoint
CREATE INDEX `ix_templates_created` ON `templates` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `ix_templates_updated` ON `templates` (`project_id`,`updated_at`,`id`);--> statement-breakpoint
CREATE INDEX `ix_templates_search` ON `templates` (`project_id`,`search_text`,`id`);--> statement-breakpoint
UPDATE projects SET address_key = lower(hex(randomblob(32)));--> statement-breakpoint
INSERT INTO contact_counts (project_id, total, subscribed, version)
SELECT project_id, count(*), sum(subscribed), count(*) FROM contacts GROUP BY project_id;--> statement-breakpoint
INSERT INTO event_names (project_id, name, count, contacts, last_at)
SELECT project_id, name, count(*), count(DISTINCT contact_id), max(created_at) FROM events GROUP BY project_id, name;--> statement-breakpoint
INSERT INTO event_days (project_id, day, name, count)
SELECT project_id, created_at / 86400000, name, count(*) FROM events GROUP BY 1, 2, 3;--> statement-breakpoint
UPDATE email_contents SET recipients = made.emails
FROM (SELECT content_id, count(*) AS emails FROM emails GROUP BY content_id) made
WHERE made.content_id = email_contents.id;--> statement-breakpoint
CREATE TRIGGER contacts_counted AFTER INSERT ON contacts
BEGIN
  INSERT INTO contact_counts (project_id, total, subscribed, version) VALUES (NEW.project_id, 1, NEW.subscribed, 1)
  ON CONFLICT (project_id) DO UPDATE SET total = total + 1, subscribed = subscribed + excluded.subscribed,
    version = version + 1;
END;--> statement-breakpoint
CREATE TRIGGER contacts_recounted AFTER UPDATE OF email, subscribed, data ON contacts
BEGIN
  UPDATE contact_counts SET subscribed = subscribed + NEW.subscribed - OLD.subscribed, version = version + 1
  WHERE project_id = NEW.project_id;
END;--> statement-breakpoint
CREATE TRIGGER contacts_uncounted AFTER DELETE ON contacts
BEGIN
  UPDATE contact_counts SET total = total - 1, subscribed = subscribed - OLD.subscribed, version = version + 1
  WHERE project_id = OLD.project_id;
END;--> statement-breakpoint
CREATE TRIGGER events_counted AFTER INSERT ON events
BEGIN
  INSERT INTO event_names (project_id, name, count, contacts, last_at)
  VALUES (NEW.project_id, NEW.name, 1, NEW.contact_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM events WHERE project_id = NEW.project_id AND name = NEW.name AND contact_id = NEW.contact_id
      AND id <> NEW.id), NEW.created_at)
  ON CONFLICT (project_id, name) DO UPDATE SET count = count + 1, contacts = contacts + excluded.contacts,
    last_at = max(last_at, excluded.last_at);
  INSERT INTO event_days (project_id, day, name, count)
  VALUES (NEW.project_id, NEW.created_at / 86400000, NEW.name, 1)
  ON CONFLICT (project_id, day, name) DO UPDATE SET count = count + 1;
END;--> statement-breakpoint
CREATE TRIGGER events_uncounted AFTER DELETE ON events
BEGIN
  UPDATE event_names SET count = count - 1, contacts = contacts - (OLD.contact_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM events WHERE project_id = OLD.project_id AND name = OLD.name AND contact_id = OLD.contact_id))
  WHERE project_id = OLD.project_id AND name = OLD.name;
  DELETE FROM event_names WHERE project_id = OLD.project_id AND name = OLD.name AND count <= 0;
  UPDATE event_days SET count = count - 1
  WHERE project_id = OLD.project_id AND day = OLD.created_at / 86400000 AND name = OLD.name;
  DELETE FROM event_days
  WHERE project_id = OLD.project_id AND day = OLD.created_at / 86400000 AND name = OLD.name AND count <= 0;
END;
