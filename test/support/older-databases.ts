/** SQL that makes a server's database as it was before a migration. */

/** Before people and volumes had owners, homes and ends (migration 11). */
export const withoutPeople = [
  'DROP TABLE access_entry',
  'DROP TABLE team_member',
  'DROP TABLE team',
  'ALTER TABLE access DROP COLUMN may',
  'ALTER TABLE commit_log DROP COLUMN copy_of',
  'DROP TABLE snapshot_schedule',
  'DROP TABLE scheduled_snapshot',
  'DROP TABLE snapshot',
  'ALTER TABLE volume DROP COLUMN made',
  'ALTER TABLE volume DROP COLUMN owner',
  'ALTER TABLE volume DROP COLUMN removed_ms',
  'ALTER TABLE user DROP COLUMN home',
  'ALTER TABLE user DROP COLUMN removed_ms;',
].join('; ');
