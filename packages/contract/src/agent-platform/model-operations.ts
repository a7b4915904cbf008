import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { ModelList, ModelProviderInput, ModelProviderView } from './model-provider.ts'
import { Done, Slug } from './values.ts'

const byName = z.object({ name: Slug })

/** Model providers. */
export const modelOperations = {
  listModels: {
    method: 'GET',
    path: '/api/models',
    auth: 'local',
    scope: 'read',
    summary:
      'Lists the models of each configured provider. The server asks the providers, for at most five seconds.',
    source: 'A21',
    reply: ModelList,
  },
  listModelProviders: {
    method: 'GET',
    path: '/api/models/providers',
    auth: 'local',
    scope: 'read',
    summary: 'Lists the model providers, the built-in ones first. Keys are not returned.',
    source: 'A21',
    reply: z.object({ providers: z.array(ModelProviderView) }),
  },
  saveModelProvider: {
    method: 'PUT',
    path: '/api/models/providers/{name}',
    auth: 'local',
    scope: 'admin',
    summary: 'Adds or replaces a model provider. Agents use it as `<name>/<model id>`.',
    source: 'A21',
    params: byName,
    body: ModelProviderInput,
    reply: z.object({ ok: z.literal(true), provider: ModelProviderView }),
    errors: [409],
  },
  deleteModelProvider: {
    method: 'DELETE',
    path: '/api/models/providers/{name}',
    auth: 'local',
    scope: 'admin',
    summary: 'Deletes a model provider. Agents that use it cannot run until they name another one.',
    source: 'A21',
    params: byName,
    reply: Done,
    errors: [404, 409],
  },
} as const satisfies Record<string, Operation>
