import type { PlatformContext, PlatformHandlers } from './platform-context.ts'

type SettingsHandlers = Pick<PlatformHandlers, 'getSettings' | 'updateSettings' | 'listLogs' | 'getHealth'>

/** Settings, the journal and health (A13, A14). */
export function createSettingsHandlers({ runtime }: PlatformContext): SettingsHandlers {
  return {
    getSettings: () => runtime.settings.view(),
    async updateSettings({ body }) {
      await runtime.settings.update(body)
      return { ok: true }
    },
    async listLogs({ query: { run_id: runId, ...query }, request }) {
      return { events: await runtime.logs.list({ ...query, runId }, request.signal) }
    },
    getHealth: () => ({ status: 'ok' }),
  }
}
