import type { PlatformContext, PlatformHandlers } from './platform-context.ts'

type ModelHandlers = Pick<
  PlatformHandlers,
  'listModels' | 'listModelProviders' | 'saveModelProvider' | 'deleteModelProvider'
>

/** Model providers (A21). */
export function createModelHandlers({ services: { models } }: PlatformContext): ModelHandlers {
  return {
    listModels: ({ request }) => models.list(request.signal),
    listModelProviders: async () => ({ providers: await models.listProviders() }),
    saveModelProvider: async ({ params, body }) => ({
      ok: true,
      provider: await models.saveProvider(params.name, body),
    }),
    async deleteModelProvider({ params }) {
      await models.deleteProvider(params.name)
      return { ok: true }
    },
  }
}
