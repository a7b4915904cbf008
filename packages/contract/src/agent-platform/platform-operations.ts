import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { JournalEvent } from './journal-event.ts'
import { SettingsPatch, SettingsView } from './settings.ts'
import { limitText, PlatformId } from './values.ts'

/** Settings, the journal and health. */
export const platformOperations = {
  getSettings: {
    method: 'GET',
    path: '/api/settings',
    auth: 'local',
    scope: 'read',
    summary: 'Gives the settings; secrets only as booleans.',
    source: 'Other route families; A13',
    reply: SettingsView,
  },
  updateSettings: {
    method: 'PUT',
    path: '/api/settings',
    auth: 'local',
    scope: 'admin',
    summary: 'Changes settings; absent ones keep their value, `null` or the empty text clears.',
    source: 'A13',
    body: SettingsPatch,
    reply: z.object({
      ok: z.literal(true),
      /** What was saved and changes nothing: the environment sets it, and wins. Absent when there is none. */
      overridden: z.optional(z.array(z.string())),
    }),
  },
  listLogs: {
    method: 'GET',
    path: '/api/logs',
    auth: 'local',
    scope: 'read',
    summary:
      'Lists what happened: the newest events, or with `since` those behind it, in the order they happened.',
    source: 'Other route families; A14',
    query: z.object({
      limit: limitText(1000),
      /** Sequence number of the last event seen. */
      since: z.optional(
        z.pipe(
          z.string().check(z.regex(/^\d{1,15}$/, 'must be a sequence number')),
          z.pipe(z.transform(Number), z.int().check(z.gte(0))),
        ),
      ),
      type: z.optional(z.string().check(z.maxLength(100))),
      /** Several types, separated by commas: events of any of them, and of `type`. */
      types: z.optional(z.string().check(z.maxLength(2000))),
      run_id: z.optional(PlatformId),
    }),
    reply: z.object({ events: z.array(JournalEvent) }),
  },
  getHealth: {
    method: 'GET',
    path: '/health',
    auth: 'public',
    summary: 'Says that the platform answers.',
    source: 'A19',
    reply: z.object({ status: z.literal('ok') }),
  },
} as const satisfies Record<string, Operation>
