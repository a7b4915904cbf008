import type { AgentEvents } from '../agent-events.ts'
import type { AgentSettings } from '../agent-options.ts'
import { createDeviceAgent } from '../create-device-agent.ts'
import type { ApiKey } from '../../client/key-source.ts'
import { createFakeCloud, type FakeAnswer, type FakeRoute } from './fake-cloud.ts'

/** The key of every test; no event and no error may hold it. */
export const apiKey = 'hw_topsecretkey'

const eventNames = [
  'enrollment:end',
  'enrollment:error',
  'heartbeat:end',
  'heartbeat:error',
  'poll:end',
  'poll:error',
  'request:error',
  'unauthorized',
  'authorized',
  'search:start',
  'search:end',
  'report:end',
  'report:error',
  'upload:start',
  'upload:progress',
  'upload:end',
  'upload:error',
  'catalog:end',
  'catalog:error',
  'state:error',
  'listener:error',
] as const satisfies readonly (keyof AgentEvents)[]

/** An agent that polls a fake cloud, with everything that it told. No jitter: `random` is 0.5. */
export function buildAgent(
  answers: Partial<Record<FakeRoute, FakeAnswer>> = {},
  settings: Partial<AgentSettings> & { readonly apiKey?: ApiKey; readonly timeoutMs?: number } = {},
) {
  const cloud = createFakeCloud(answers)
  const agent = createDeviceAgent({
    baseUrl: 'https://cloud.example',
    apiKey,
    fetch: cloud.fetch,
    providers: { files: () => Promise.resolve({ found: [] }) },
    random: () => 0.5,
    work: 'poll',
    ...settings,
  })
  const events: { readonly name: string; readonly payload: unknown }[] = []
  for (const name of eventNames) agent.on(name, (payload) => events.push({ name, payload }))
  return {
    cloud,
    agent,
    events,
    names: () => events.map(({ name }) => name),
    of: <Name extends keyof AgentEvents>(name: Name) =>
      // The payload was recorded under its own name.
      events.filter((event) => event.name === name).map(({ payload }) => payload as AgentEvents[Name]),
  }
}
