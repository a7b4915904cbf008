import type { PlatformContext, PlatformHandlers } from './platform-context.ts'

type SettingsHandlers = Pick<PlatformHandlers, 'getSettings' | 'updateSettings' | 'listLogs' | 'getHealth'>

/** Settings, the journal and health (A13, A14). */
export function createSettingsHandlers({ services }: PlatformContext): SettingsHandlers {
  return {
    getSettings: () => services.settings.view(),
    async updateSettings({ body }) {
      const { overridden } = await services.settings.update(body)
      return { ok: true, ...(overridden.length > 0 && { overridden: [...overridden] }) }
    },
    async listLogs({ query: { run_id: runId, types, ...query }, request }) {
      const names = types?.split(',').map((name) => name.trim())
      return { events: await services.logs.list({ ...query, types: names, runId }, request.signal) }
    },
    getHealth: () => ({ status: 'ok' }),
  }
}
