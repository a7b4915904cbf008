import { expectTypeOf, it } from 'vitest'
import { createUserClient, createDeviceAgent, createDeviceClient, type UserClient, Secret } from '../index.ts'

const dashboard = createUserClient({ baseUrl: 'http://127.0.0.1:3000' })
const client = createDeviceClient({ baseUrl: 'http://127.0.0.1:3000', apiKey: new Secret('hw_x') })

it('types the operations of a session', () => {
  expectTypeOf<UserClient>().toHaveProperty('listSearches')
  expectTypeOf(dashboard.createSearches).returns.resolves.toHaveProperty('searchQueries')
  // @ts-expect-error a device's operation
  void dashboard.sendHeartbeat({ body: { metadata: {} } })
})

it('asks for a connection, one way or the other', () => {
  createDeviceAgent({ client, providers: {} })
  createDeviceAgent({ baseUrl: 'http://127.0.0.1:3000', apiKey: () => 'hw_x', providers: {} })
  // @ts-expect-error neither a client nor an address with a key
  createDeviceAgent({ providers: {} })
  // @ts-expect-error a file scope gives files
  createDeviceAgent({ client, providers: { files: async () => ({ found: [{ name: 1 }] }) } })
})

it('types the payload of each event', () => {
  const agent = createDeviceAgent({ client, providers: {} })
  agent.on('search:end', ({ queryId, error }) => {
    expectTypeOf(queryId).toEqualTypeOf<string>()
    expectTypeOf(error).toEqualTypeOf<string | null>()
  })
  // @ts-expect-error no such event
  agent.on('error', () => {})
})
