import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { JournalEvent } from './journal-event.ts'
import { SettingsPatch, SettingsView } from './settings.ts'
import { limitParameter, PlatformId } from './values.ts'

/** Settings, the journal and health. */
export const platformOperations = {
  getSettings: {
    method: 'GET',
    path: '/api/settings',
    auth: 'local',
    scope: 'read',
    subject: 'none',
    summary: 'Returns the settings, with booleans in place of secrets.',
    source: 'Other route families; A13',
    reply: SettingsView,
  },
  updateSettings: {
    method: 'PUT',
    path: '/api/settings',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'settings.updated', target: 'settings', details: 'names', isOutside: true },
    summary:
      'Changes settings. Absent settings keep their value. `null` and the empty string clear a setting.',
    source: 'A13',
    body: SettingsPatch,
    reply: z.object({
      ok: z.literal(true),
      /** Saved settings that have no effect, because an environment variable overrides them. Absent if there are none. */
      overridden: z.optional(z.array(z.string())),
    }),
  },
  listLogs: {
    method: 'GET',
    path: '/api/logs',
    auth: 'local',
    scope: 'read',
    subject: 'all',
    summary:
      'Lists the newest events of the journal, or with `since` the events after it, in the order in which they happened.',
    source: 'Other route families; A14',
    query: z.object({
      limit: limitParameter(1000),
      /** Sequence number of the last event seen. */
      since: z.optional(
        z.pipe(
          z.string().check(z.regex(/^\d{1,15}$/, 'must be a sequence number')),
          z.pipe(z.transform(Number), z.int().check(z.gte(0))),
        ),
      ),
      type: z.optional(z.string().check(z.maxLength(100))),
      /** Event types, separated by commas. Events of each of them, and of `type`, are returned. */
      types: z.optional(z.string().check(z.maxLength(2000))),
      run_id: z.optional(PlatformId),
    }),
    reply: z.object({ events: z.array(JournalEvent) }),
  },
  getHealth: {
    method: 'GET',
    path: '/health',
    auth: 'public',
    summary: 'Returns that the server responds.',
    source: 'A19',
    reply: z.object({ status: z.literal('ok') }),
  },
} as const satisfies Record<string, Operation>
